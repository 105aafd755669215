import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface EngineMessage {
  readonly stream?: string;
  readonly status?: string;
  readonly id?: string;
  /** Bytes of one layer, while it is pulled. */
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
  readonly error?: string;
  readonly errorDetail?: { readonly message?: string };
  readonly aux?: { readonly ID?: string };
}

/** How an Engine stream went: its messages, and the error that it reported in the middle of a 200 answer, if any. */
export interface EngineStreamResult {
  readonly messages: readonly EngineMessage[];
  readonly failure: string | undefined;
}

/**
 * Reads the JSON messages of a build or a pull to the end. The Engine answers 200 before it begins, and reports a failure
 * as a message: whoever does not look takes it for success. A line that is no JSON is a failure too. `onMessage` hears each as it comes.
 */
export async function readEngineMessages(stream: Readable, signal: AbortSignal, onMessage: (message: EngineMessage) => void = () => undefined): Promise<EngineStreamResult> {
  const stop = () => stream.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  const messages: EngineMessage[] = [];
  try {
    signal.throwIfAborted();
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
      if (line.trim() === '') continue;
      const message = parseMessage(line);
      messages.push(message);
      onMessage(message);
    }
    // readline ends quietly when its input is destroyed
    if (stream.errored) throw stream.errored;
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', stop);
  }
  const failed = messages.find(({ error, errorDetail }) => error !== undefined || errorDetail !== undefined);
  return { messages, failure: failed ? (failed.errorDetail?.message ?? failed.error) : undefined };
}

function parseMessage(line: string): EngineMessage {
  try {
    return JSON.parse(line) as EngineMessage;
  } catch {
    return { error: `the Engine sent a line that is no JSON: ${line.slice(0, 200)}` };
  }
}

/** What a person wants to see of a failed build: the last lines that it printed. */
export function lastOutput(messages: readonly EngineMessage[], lines = 15): string {
  return messages.map(({ stream, status }) => stream ?? (status === undefined ? '' : `${status}\n`)).join('').trimEnd().split('\n').slice(-lines).join('\n');
}
