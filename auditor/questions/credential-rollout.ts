import { distinct, fixedValues, type Question } from './question.ts';

/** Were four generations published, each as another publication, and rolled out by Recreate? */
export const credentialRollout: Question = (report) => {
  const { publicationDigests } = report.credentialRollout;
  const { planDigests } = report.approvalExecution;
  return [
    ...fixedValues(report, 'credentialRollout'),
    distinct('credentialRollout.publicationDigests', publicationDigests),
    publicationDigests.some((digest) => planDigests.includes(digest)) ? 'credentialRollout.publicationDigests: expected other digests than those of the plans' : null,
  ];
};
