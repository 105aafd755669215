import { HarnessError } from './errors.ts';
import type { Releasers } from '../substrate/substrate.ts';

export interface ReleaseFailure {
  readonly name: string;
  readonly error: unknown;
}

const DEADLINE_MS = 60_000;

/** Last in, first out; a release that fails, or that does not end in time, is remembered and does not keep the others from running. */
export class ReleaserStack implements Releasers {
  readonly #stack: { name: string; release: () => Promise<void> }[] = [];
  readonly #deadlineMs: number;

  constructor(deadlineMs: number = DEADLINE_MS) {
    this.#deadlineMs = deadlineMs;
  }

  add(name: string, release: () => Promise<void>): void {
    this.#stack.push({ name, release });
  }

  /** Runs whatever is on the stack, also what is added meanwhile. May be called again; what ran is gone from it. */
  async releaseAll(): Promise<readonly ReleaseFailure[]> {
    const failures: ReleaseFailure[] = [];
    for (let entry = this.#stack.pop(); entry !== undefined; entry = this.#stack.pop()) {
      try {
        await withDeadline(entry.release(), this.#deadlineMs);
      } catch (error) {
        failures.push({ name: entry.name, error });
      }
    }
    return failures;
  }
}

async function withDeadline(work: Promise<void>, deadlineMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new HarnessError('QL3_WAIT_TIMEOUT', `expected it to be released within ${deadlineMs} ms, it still is not`)), deadlineMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
