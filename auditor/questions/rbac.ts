import { fixedValues, type Question } from './question.ts';

/** Had issuer and delivery exactly the accesses that they need, for ten minutes and no longer? */
export const rbac: Question = (report) => fixedValues(report, 'rbac');
