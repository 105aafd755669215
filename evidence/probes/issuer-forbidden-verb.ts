import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { HOST_ISSUER } from '../identities.ts';
import { forbiddenVerdict } from './forbidden-request.ts';

export const issuerForbiddenVerb = fact((run: ObservedRun) => forbiddenVerdict(run, 'issuer-forbidden-verb', HOST_ISSUER));
