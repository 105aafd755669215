import type { RunLogLine } from '../../evidence/bundle-parts.ts';
import type { SpanRecorder } from './spans.ts';

/** What the run has said to people, and where its time went: both on the spans' clock. */
export class RunLog {
  readonly #spans: SpanRecorder;
  readonly #said: RunLogLine[] = [];

  constructor(spans: SpanRecorder) {
    this.#spans = spans;
  }

  /** Takes a line down and gives it back. */
  take(text: string): string {
    this.#said.push({ atMs: Math.round(this.#spans.elapsedMs), endMs: null, text });
    return text;
  }

  get lines(): readonly RunLogLine[] {
    const spans = this.#spans.all.map(({ name, startMs, endMs }) => ({ atMs: Math.round(startMs), endMs: Math.round(endMs), text: name }));
    return [...this.#said, ...spans].sort((left, right) => left.atMs - right.atMs);
  }
}
