import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { verdict } from '../verdict.ts';
import { egressRules } from './egress-attempt.ts';

export const egressInside = fact((run: ObservedRun) => verdict(egressRules(run, 'egress-inside')));
