import type { KubernetesObject } from '@kubernetes/client-node';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { ApiConnection } from './api-connection.ts';

export interface WatchEvent<Body = KubernetesObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Body;
}

const PATIENCE_MS = 180_000;

/** One watch connection and everything that came over it. */
export class WatchStream<Body = KubernetesObject> implements Disposable {
  readonly events: WatchEvent<Body>[] = [];
  readonly #changes = new EventEmitter().setMaxListeners(0);
  readonly #response: IncomingMessage;
  #ended = false;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    response.on('error', () => undefined);
    createInterface({ input: response, crlfDelay: Infinity })
      .on('line', (line) => {
        this.events.push(JSON.parse(line) as WatchEvent<Body>);
        this.#changes.emit('change');
      })
      .on('close', () => {
        this.#ended = true;
        this.#changes.emit('change');
      });
  }

  static async open<Body = KubernetesObject>(api: ApiConnection, path: string, query: Readonly<Record<string, string | number | boolean>> = {}): Promise<WatchStream<Body>> {
    const response = await api.open('GET', path, { query: { watch: true, ...query } });
    if (response.statusCode !== 200) throw new Error(`expected a watch on ${path}, got ${response.statusCode}`);
    return new WatchStream<Body>(response);
  }

  /** What `pick` finds in the events so far, now or after a further one. */
  async until<T>(expectation: string, pick: (events: readonly WatchEvent<Body>[]) => T | undefined, patienceMs = PATIENCE_MS): Promise<T> {
    const deadline = AbortSignal.timeout(patienceMs);
    for (;;) {
      const found = pick(this.events);
      if (found !== undefined) return found;
      if (this.#ended || deadline.aborted) throw new Error(`expected ${expectation}; ${this.#ended ? 'the watch ended' : `${patienceMs} ms passed`}; last: ${JSON.stringify(lastSeen(this.events.at(-1)))}`);
      await new Promise<void>((resolve) => {
        const proceed = () => {
          deadline.removeEventListener('abort', proceed);
          this.#changes.off('change', proceed);
          resolve();
        };
        deadline.addEventListener('abort', proceed, { once: true });
        this.#changes.once('change', proceed);
      });
    }
  }

  /** The newest state of the object that `matches`; an object that was deleted does not match. */
  async untilObject(expectation: string, matches: (object: Body) => boolean, patienceMs?: number): Promise<Body> {
    return await this.until(expectation, (events) => events.findLast(({ type, object }) => (type === 'ADDED' || type === 'MODIFIED') && matches(object))?.object, patienceMs);
  }

  async untilDeleted(name: string, patienceMs?: number): Promise<Body> {
    const isNamed = (object: Body) => (object as KubernetesObject).metadata?.name === name;
    return await this.until(`${name} to be gone`, (events) => events.findLast(({ type, object }) => type === 'DELETED' && isNamed(object))?.object, patienceMs);
  }

  async untilEnd(patienceMs?: number): Promise<void> {
    await this.until('the end of the watch', () => (this.#ended ? true : undefined), patienceMs);
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  [Symbol.dispose](): void {
    this.#response.destroy();
  }
}

/** As much of an event as helps to understand a wait that failed. */
function lastSeen(event: WatchEvent<unknown> | undefined): unknown {
  const object = event?.object as { metadata?: { name?: string }; status?: unknown } | undefined;
  return event && { type: event.type, name: object?.metadata?.name, status: object?.status };
}
