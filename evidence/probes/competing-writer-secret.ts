import { PROBE_SECRET } from '../facts/audit.ts';
import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { contestVerdict } from './contest.ts';

export const competingWriterSecret = fact((run: ObservedRun) => contestVerdict(run, 'competing-writer-secret', PROBE_SECRET));
