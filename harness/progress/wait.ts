import type { Task } from './activity.ts';
import { showable } from './showable.ts';

export interface WaitRequest {
  /** Reads after "waits for" and after "expected". */
  readonly expected: string;
  /** Null or left out where something else bounds the wait. */
  readonly deadlineMs?: number | null;
}

export interface Sight {
  readonly text: string;
  readonly atMs: number;
}

/** One thing that is waited for. What was last seen is put into words when somebody asks for it, or when the wait ends. */
export class Wait {
  readonly expected: string;
  readonly deadlineMs: number | null;
  readonly task: Task | null;
  readonly sinceMs: number;
  readonly #now: () => number;
  readonly #onSight: () => void;
  #seen: { readonly text: string | (() => string); readonly atMs: number } | null = null;
  #endedMs: number | null = null;

  constructor({ expected, deadlineMs = null }: WaitRequest, { task, now, onSight }: { readonly task: Task | null; readonly now: () => number; readonly onSight: () => void }) {
    this.expected = showable(expected);
    this.deadlineMs = deadlineMs;
    this.task = task;
    this.#now = now;
    this.#onSight = onSight;
    this.sinceMs = now();
  }

  get waitedMs(): number {
    return (this.#endedMs ?? this.#now()) - this.sinceMs;
  }

  get lastSeen(): Sight | null {
    if (this.#seen === null) return null;
    const { text, atMs } = this.#seen;
    return { text: showable(typeof text === 'string' ? text : text()), atMs };
  }

  /** Something was seen that is not yet what is expected; a text that costs something is given as a function. */
  saw(text: string | (() => string)): void {
    if (this.#endedMs !== null) return;
    this.#seen = { text, atMs: this.#now() };
    this.#onSight();
  }

  /** What was seen at this moment stays, whatever becomes of the things that were looked at. */
  end(): void {
    if (this.#endedMs !== null) return;
    this.#endedMs = this.#now();
    this.#seen = this.lastSeen;
  }
}
