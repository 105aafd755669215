import type { ObservedRun } from '../facts/observed-run.ts';
import { judged } from '../verdict.ts';
import { refusedHandshakeRules } from './ingress-answers.ts';

export const handshakeWithoutCertificate = judged((run: ObservedRun) => refusedHandshakeRules(run, 'handshake-without-certificate'));
