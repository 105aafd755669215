import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { deletionRequestOf } from './audit.ts';
import type { ObservedRun } from './observed-run.ts';
import { recordedAtMs, type ProductSession } from './product-sessions.ts';

/** From the request to delete the session's Pod to its offline row; rounding below the clock bound counts as zero. Null when either is missing. */
export function drainElapsedMs(run: ObservedRun, { pod, offline }: ProductSession): number | null {
  const elapsedMs = recordedAtMs(offline) - (deletionRequestOf(run, pod)?.receivedMs ?? Number.NaN);
  if (Number.isNaN(elapsedMs)) return null;
  return elapsedMs < 0 && elapsedMs >= -CLOCK_BOUND_MS ? 0 : Math.round(elapsedMs);
}
