import { fixedValues, type Question } from './question.ts';

/** Did the TLS identity move by its own generation, observed where it arrived? */
export const identity: Question = (report) => [
  ...fixedValues(report, 'identityRollout'),
  report.approvalExecution.planDigests.includes(report.identityRollout.caDigest) || report.credentialRollout.publicationDigests.includes(report.identityRollout.caDigest)
    ? 'identityRollout.caDigest: expected the digest of a CA, got one of another section'
    : null,
];
