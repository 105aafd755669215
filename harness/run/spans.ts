import { Activity } from '../progress/activity.ts';
import type { Spans } from '../substrate/substrate.ts';

export interface Span {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Where the time of a run went. Spans may overlap; times are monotonic milliseconds since the run's activity began. */
export class SpanRecorder implements Spans {
  readonly #activity: Activity;
  readonly #spans: Span[] = [];

  constructor(activity = new Activity()) {
    this.#activity = activity;
  }

  async measure<T>(name: string, work: () => Promise<T>): Promise<T> {
    const startMs = this.elapsedMs;
    try {
      return await this.#activity.perform(name, work);
    } finally {
      this.#spans.push({ name, startMs, endMs: this.elapsedMs });
    }
  }

  get all(): readonly Span[] {
    return this.#spans.toSorted((a, b) => a.startMs - b.startMs);
  }

  get elapsedMs(): number {
    return this.#activity.elapsedMs;
  }

  /** The time that no span covers: the harness neither worked nor waited for anything it can name. */
  get unaccountedMs(): number {
    let covered = 0;
    let until = 0;
    for (const span of this.all) {
      covered += Math.max(0, span.endMs - Math.max(until, span.startMs));
      until = Math.max(until, span.endMs);
    }
    return this.elapsedMs - covered;
  }
}
