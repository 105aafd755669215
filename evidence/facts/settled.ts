import { SETTLING_MS } from '../clock-bound.ts';
import { instantMs } from '../instants.ts';
import { fact, type ObservedRun } from './observed-run.ts';

/** The audit log and the runtime's events are read when the collecting begins. What happened a moment before may be told by one witness and not yet by the other. */
export const settledUntilMs = fact((run: ObservedRun): number => {
  const collect = run.of('run.step').find(({ body }) => body.step === 'collect');
  return collect === undefined ? Number.POSITIVE_INFINITY : instantMs(collect.at) - SETTLING_MS;
});
