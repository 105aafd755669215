import type { ObservedRun } from '../facts/observed-run.ts';
import { judged } from '../verdict.ts';
import { egressRules } from './egress-attempt.ts';

export const egressInside = judged((run: ObservedRun) => egressRules(run, 'egress-inside'));
