import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { verdict } from '../verdict.ts';
import { refusedHandshakeRules } from './ingress-answers.ts';

export const handshakeWithoutCertificate = fact((run: ObservedRun) => verdict(refusedHandshakeRules(run, 'handshake-without-certificate')));
