import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { instantMs } from '../instants.ts';
import { deletionRequestOf } from './audit.ts';
import type { ObservedRun } from './observed-run.ts';
import { eventLine } from './process-lines.ts';
import { recordedAtMs, type ProductSession } from './product-sessions.ts';
import { isRising } from './rising.ts';

/** Asked to go, told to stop, draining, offline and stopped follow each other, whoever tells. */
export function drainedInOrder(run: ObservedRun, { pod, draining, offline }: ProductSession): boolean {
  const saidMs = (event: string): number => instantMs(eventLine(run, pod.uid, event)?.body.line['at']);
  return isRising([deletionRequestOf(run, pod)?.receivedMs ?? NaN, saidMs('shutdown_requested'), recordedAtMs(draining), recordedAtMs(offline), saidMs('stopped')]);
}

/** From the request to delete the session's Pod to its offline row; rounding below the clock bound counts as zero. Null when either is missing. */
export function drainElapsedMs(run: ObservedRun, { pod, offline }: ProductSession): number | null {
  const elapsedMs = recordedAtMs(offline) - (deletionRequestOf(run, pod)?.receivedMs ?? NaN);
  if (Number.isNaN(elapsedMs)) return null;
  return elapsedMs < 0 && elapsedMs >= -CLOCK_BOUND_MS ? 0 : Math.round(elapsedMs);
}
