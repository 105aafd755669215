import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { refusedTokenVerdict } from './ingress-answers.ts';

export const revokedToken = fact((run: ObservedRun) => refusedTokenVerdict(run, 'revoked-token'));
