import type { StepId } from '../../evidence/observation.ts';
import type { Activity } from './activity.ts';
import type { PastRun } from './durations.ts';
import { median } from './median.ts';
import { stepIdOf } from './task-titles.ts';

/** How long a run takes, told from earlier ones on the same substrate. */
export class Forecast {
  readonly #past: readonly PastRun[];

  constructor(past: readonly PastRun[]) {
    this.#past = past;
  }

  get runs(): number {
    return this.#past.length;
  }

  /** What the estimate stands on, in words. */
  get basis(): string {
    return this.runs === 1 ? 'the one earlier run here that held took' : `${this.runs} earlier runs here took at the median`;
  }

  /** Null while there is nothing to tell it from. */
  get totalMs(): number | null {
    return median(this.#past.map(({ totalMs }) => totalMs));
  }

  /**
   * What is still to come, counted from the step that began last: whatever was slower or faster than before is not carried
   * on into what remains. A step that takes longer than ever leaves what comes after it.
   */
  remainingMs(activity: Pick<Activity, 'tasks' | 'elapsedMs'>): number | null {
    const { totalMs } = this;
    if (totalMs === null) return null;
    const latest = activity.tasks.findLast((task) => stepIdOf(task) !== null);
    const id = latest === undefined ? null : stepIdOf(latest);
    if (latest === undefined || id === null) return Math.max(0, totalMs - activity.elapsedMs);
    const afterStart = this.#untilEndMs(id, 'startMs');
    const afterEnd = this.#untilEndMs(id, 'endMs');
    if (afterStart === null || afterEnd === null) return Math.max(0, totalMs - activity.elapsedMs);
    return Math.max(0, afterEnd, afterStart - (activity.elapsedMs - latest.startedMs));
  }

  #untilEndMs(id: StepId, moment: 'startMs' | 'endMs'): number | null {
    return median(this.#past.flatMap(({ totalMs, steps }) => (steps[id] === undefined ? [] : [totalMs - steps[id][moment]])));
  }
}
