import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { contestVerdict, PROBE_DEPLOYMENT } from './contest.ts';

export const competingWriterDeployment = fact((run: ObservedRun) => contestVerdict(run, 'competing-writer-deployment', PROBE_DEPLOYMENT));
