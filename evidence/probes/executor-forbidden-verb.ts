import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { JOB_ISSUER } from '../identities.ts';
import { forbiddenVerdict, mintingRule } from './forbidden-request.ts';

export const executorForbiddenVerb = fact((run: ObservedRun) => forbiddenVerdict(run, 'executor-forbidden-verb', JOB_ISSUER, [mintingRule(run, 'executor-forbidden-verb')]));
