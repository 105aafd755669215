import { CLOCK_BOUND_MS } from '../clock-bound.ts';

/** Whether instants follow each other, by clocks that may contradict each other a little; none may be missing. */
export function isRising(instants: readonly number[]): boolean {
  return instants.every((instant, index) => instant + CLOCK_BOUND_MS >= (instants[index - 1] ?? -Infinity));
}
