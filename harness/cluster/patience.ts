import { setTimeout as delay } from 'node:timers/promises';

export const MAX_ATTEMPTS = 5;
/** One request and its answer; what goes on for longer is a watch or a followed log. */
export const REQUEST_TIMEOUT_MS = 30_000;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
const TOO_MANY_REQUESTS = 429;
const INTERNAL_ERROR = 500;

export interface Attempted {
  readonly method: string;
  /** Null when there was no answer. */
  readonly status: number | null;
  /** The header's value. */
  readonly retryAfter: string | undefined;
  /** Why there was no answer, where there was none. */
  readonly failure?: unknown;
  /** From 1. */
  readonly attempt: number;
}

/**
 * How long to wait before a request is made once more, or null when its end is final. A server that says Retry-After with a 429 or
 * a 5xx asks for it, whatever the verb (as client-go takes it); a read that was lost, or that failed on the server's side, is harmless to repeat; so is any
 * request for which no connection came about: it was never sent.
 */
export function delayBeforeRetryMs({ method, status, retryAfter, failure, attempt }: Attempted): number | null {
  if (attempt >= MAX_ATTEMPTS) return null;
  const isServersFault = status !== null && (status === TOO_MANY_REQUESTS || status >= INTERNAL_ERROR);
  if (isServersFault && retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter)) return Math.min(Number(retryAfter) * 1_000, LONGEST_DELAY_MS);
  if (method === 'GET' && (isServersFault || status === null)) return backoffMs(attempt);
  if (status === null && wasNeverSent(failure)) return backoffMs(attempt);
  return null;
}

const NO_CONNECTION = new Set<unknown>(['UND_ERR_CONNECT_TIMEOUT', 'ECONNREFUSED']);

function wasNeverSent(failure: unknown): boolean {
  for (let error = failure; error instanceof Error; error = error.cause) if (NO_CONNECTION.has((error as { code?: unknown }).code)) return true;
  return false;
}

/** Doubles with every attempt. */
export function backoffMs(attempt: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
}

export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
