import { rehearsalLimitations, RELEASE_LIMITATIONS } from '../../evidence/limitations.ts';
import type { Question } from './question.ts';

/** Does the report say what it does not show, in exactly the agreed words? */
export const limitations: Question = (report, { profile }) => {
  const embedded = report.kubernetes.distribution === 'embedded';
  const accepted = profile === 'release' ? [RELEASE_LIMITATIONS] : [true, false].map((treeClean) => rehearsalLimitations({ embedded, treeClean }));
  const got = JSON.stringify(report.limitations);
  return [accepted.some((expected) => JSON.stringify(expected) === got) ? null : `limitations: expected exactly the ${accepted[0]?.length} agreed sentences in their order`];
};
