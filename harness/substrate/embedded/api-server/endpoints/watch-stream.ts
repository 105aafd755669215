import type { ServerResponse } from 'node:http';
import type { ApiObject } from '../api-object.ts';
import type { ApiStatusError } from '../status-error.ts';

/** A client that leaves this much unread has stopped reading; its watch ends, and it may start another. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** Stored objects never change, so that many watchers share one serialisation. */
const serialised = new WeakMap<object, string>();

/** Watch events as lines of JSON in one chunked response. */
export class WatchStream {
  readonly #response: ServerResponse;
  #ended = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Sends the header at once: clients wait for it, although the first event may be far away. */
  open(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    this.#response.flushHeaders();
  }

  send(type: string, object: ApiObject, represent: (object: ApiObject) => unknown): void {
    const represented = represent(object);
    this.#write(`{"type":"${type}","object":${represented === object ? serialise(object) : JSON.stringify(represented)}}\n`);
  }

  sendError(error: ApiStatusError): void {
    this.#write(`{"type":"ERROR","object":${JSON.stringify(error.toStatus())}}\n`);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#response.end();
  }

  /** Resolves when the watch is over: true when the client went first. */
  async untilEnd(signal: AbortSignal, timeoutMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const closedByClient = await new Promise<boolean>((resolve) => {
      this.#response.once('close', () => resolve(!this.#ended));
      if (this.#response.destroyed) resolve(true);
      signal.addEventListener('abort', () => resolve(this.#response.destroyed), { once: true });
      if (signal.aborted) resolve(this.#response.destroyed);
      timer = setTimeout(resolve, Math.min(timeoutMs, 2 ** 31 - 1), false);
    });
    clearTimeout(timer);
    this.end();
    return closedByClient;
  }

  #write(line: string): void {
    if (this.#ended) return;
    this.open();
    this.#response.write(line);
    if (this.#response.writableLength > MAX_UNREAD_BYTES) {
      this.#ended = true;
      this.#response.destroy();
    }
  }
}

function serialise(object: ApiObject): string {
  let text = serialised.get(object);
  if (text === undefined) {
    text = JSON.stringify(object);
    serialised.set(object, text);
  }
  return text;
}
