import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { contestVerdict, PROBE_SECRET } from './contest.ts';

export const competingWriterSecret = fact((run: ObservedRun) => contestVerdict(run, 'competing-writer-secret', PROBE_SECRET));
