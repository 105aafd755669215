import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { DELIVERY } from '../identities.ts';
import { forbiddenVerdict, mintingRule } from './forbidden-request.ts';

export const deliveryForbiddenVerb = fact((run: ObservedRun) => forbiddenVerdict(run, 'delivery-forbidden-verb', DELIVERY, [mintingRule(run, 'delivery-forbidden-verb')]));
