import { AsyncLocalStorage } from 'node:async_hooks';
import { Wait, type WaitRequest } from './wait.ts';

/** One piece of work that is going on or has gone on, named like its span. Times are milliseconds since the run began. */
export interface Task {
  readonly name: string;
  readonly parent: Task | null;
  readonly startedMs: number;
  endedMs: number | null;
  hasFailed: boolean;
}

/** Where an error came up: in which task, and waiting for what. */
export interface Blame {
  readonly task: Task | null;
  readonly wait: Wait | null;
}

interface Place {
  readonly activity: Activity;
  readonly task: Task | null;
}

/** What asks for something finds by this the run and the task that it is a part of, however many go on side by side. */
const place = new AsyncLocalStorage<Place>();

/**
 * What a run does now and what it waits for: the one place that both the progress shown to people and the account of a failure
 * are read from.
 */
export class Activity {
  readonly #originMs = performance.now();
  readonly #tasks: Task[] = [];
  readonly #waits = new Set<Wait>();
  readonly #blames = new WeakMap<object, Blame[]>();
  readonly #listeners = new Set<() => void>();

  get elapsedMs(): number {
    return performance.now() - this.#originMs;
  }

  /** Every task so far, in the order of their beginnings. */
  get tasks(): readonly Task[] {
    return this.#tasks;
  }

  get running(): readonly Task[] {
    return this.#tasks.filter(({ endedMs }) => endedMs === null);
  }

  /** What is being waited for now, in the order of beginnings. */
  get waits(): readonly Wait[] {
    return [...this.#waits];
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is still to come will not. */
  isGivenUp = false;

  /** Runs a piece of work as a task of this run, below the task that asks for it. */
  async perform<T>(name: string, work: () => Promise<T>): Promise<T> {
    const task: Task = { name, parent: this.#taskHere(), startedMs: this.elapsedMs, endedMs: null, hasFailed: false };
    this.#tasks.push(task);
    this.#changed();
    try {
      return await place.run({ activity: this, task }, work);
    } catch (error) {
      task.hasFailed = true;
      this.#blame(error, { task, wait: this.#waits.values().find((wait) => isWithin(wait.task, task)) ?? null });
      throw error;
    } finally {
      task.endedMs = this.elapsedMs;
      this.#changed();
    }
  }

  /** Where the error, or the first of its causes that did, came up. The first is where it began; the others were called off by it. */
  blamesOf(error: unknown): readonly Blame[] {
    for (let current = error; typeof current === 'object' && current !== null; current = (current as { cause?: unknown }).cause) {
      const found = this.#blames.get(current);
      if (found !== undefined) return found;
    }
    return [];
  }

  async wait<T>(request: WaitRequest, work: (wait: Wait) => Promise<T>): Promise<T> {
    const wait = new Wait(request, { task: this.#taskHere(), now: () => this.elapsedMs, onSight: () => this.#changed() });
    this.#waits.add(wait);
    this.#changed();
    try {
      return await work(wait);
    } catch (error) {
      wait.end();
      this.#blame(error, { task: wait.task, wait });
      throw error;
    } finally {
      wait.end();
      this.#waits.delete(wait);
      this.#changed();
    }
  }

  /**
   * Something ends all that goes on. What is waited for at this moment counts, as it was last seen: how each work then ends,
   * and when, says nothing of the reason any more.
   */
  callOff(reason: unknown): void {
    this.isGivenUp = true;
    for (const wait of this.#waits) {
      wait.end();
      this.#blame(reason, { task: wait.task, wait });
    }
    for (const task of this.running.toReversed()) this.#blame(reason, { task, wait: null });
  }

  #taskHere(): Task | null {
    const here = place.getStore();
    return here?.activity === this ? here.task : null;
  }

  #blame(error: unknown, blame: Blame): void {
    if (typeof error !== 'object' || error === null) return;
    const known = this.#blames.get(error) ?? [];
    // on its way up through the tasks an error says nothing new
    if (known.some(({ task }) => isWithin(task, blame.task))) return;
    this.#blames.set(error, [...known, blame]);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/**
 * Waits for something, and says so: what is expected, by when, and (by `saw`) what was seen instead until now.
 * Outside of a run nobody listens.
 */
export async function expecting<T>(request: WaitRequest, work: (wait: Pick<Wait, 'saw'>) => Promise<T>): Promise<T> {
  return await (place.getStore()?.activity ?? new Activity()).wait(request, work);
}

export function isWithin(task: Task | null, ancestor: Task | null): boolean {
  for (let current = task; current !== null; current = current.parent) if (current === ancestor) return true;
  return ancestor === null;
}
