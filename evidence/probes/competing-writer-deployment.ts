import { PROBE_DEPLOYMENT } from '../facts/audit.ts';
import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { contestVerdict } from './contest.ts';

export const competingWriterDeployment = fact((run: ObservedRun) => contestVerdict(run, 'competing-writer-deployment', PROBE_DEPLOYMENT));
