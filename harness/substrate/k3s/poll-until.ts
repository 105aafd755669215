import { setTimeout as delay } from 'node:timers/promises';
import { expecting } from '../../progress/activity.ts';
import type { Wait } from '../../progress/wait.ts';
import { SubstrateError, type SubstrateFault } from './substrate-error.ts';

export interface PollOptions {
  readonly fault: SubstrateFault;
  readonly expectation: string;
  readonly everyMs: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/**
 * Asks until there is an answer: for what offers nothing to watch, like a server that does not listen yet. An attempt that
 * throws or answers undefined is made again; the last reason is in the error at the deadline.
 */
export async function pollUntil<T>(attempt: () => Promise<T | undefined>, options: PollOptions): Promise<T> {
  const { expectation, deadlineMs } = options;
  return await expecting({ expected: expectation, deadlineMs }, (wait) => poll(attempt, options, wait));
}

async function poll<T>(attempt: () => Promise<T | undefined>, { fault, expectation, everyMs, deadlineMs, signal }: PollOptions, wait: Pick<Wait, 'saw'>): Promise<T> {
  const startedAt = performance.now();
  let last: unknown = 'no answer';
  for (;;) {
    try {
      const found = await attempt();
      if (found !== undefined) return found;
    } catch (error) {
      last = error;
    }
    wait.saw(reasonOf(last));
    signal.throwIfAborted();
    if (performance.now() - startedAt > deadlineMs) {
      throw new SubstrateError(fault, `expected ${expectation} within ${deadlineMs} ms; the last attempt: ${reasonOf(last)}`, { cause: last });
    }
    await delay(everyMs, undefined, { signal });
  }
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
