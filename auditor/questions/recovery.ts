import { fixedValues, podsOfItsOwn, type Question } from './question.ts';

/** Did one volume and its journal survive five Pods, one of them lost by force? */
export const recovery: Question = (report) => [...fixedValues(report, 'recovery'), ...podsOfItsOwn(report, 'recovery')];
