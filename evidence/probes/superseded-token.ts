import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { refusedTokenVerdict } from './ingress-answers.ts';

export const supersededToken = fact((run: ObservedRun) => refusedTokenVerdict(run, 'superseded-token'));
