import { Watch, type KubeConfig } from '@kubernetes/client-node';
import { EventEmitter } from 'node:events';
import type { ObservedObject } from '../../evidence/observation.ts';
import { toObservedObject } from '../observation/observed-object.ts';
import { expecting } from '../progress/activity.ts';
import type { Wait } from '../progress/wait.ts';
import { HarnessError } from '../run/errors.ts';
import { describeObject } from './describe-object.ts';
import { backoffMs, pause } from './patience.ts';
import { getRaw } from './raw-request.ts';

export interface WatchedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ObservedObject;
}

interface RawList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly { readonly metadata: { readonly uid: string } }[];
}

const GONE = 410;
const TOO_MANY_REQUESTS = 429;

/**
 * Follows one collection from a list on, through closed connections and expired resourceVersions, and keeps what is there now.
 * Every event goes to `onEvent` before anybody who waits sees it; what `onEvent` throws ends the watch, since an event was not taken down.
 */
export class ObjectWatch {
  readonly #config: KubeConfig;
  readonly #path: string;
  readonly #kind: { readonly apiVersion: string; readonly kind: string };
  readonly #onEvent: (event: WatchedEvent) => void;
  readonly #onFailure: (error: unknown) => void;
  readonly #signal: AbortSignal;
  readonly #current = new Map<string, ObservedObject>();
  readonly #changes = new EventEmitter();
  #resourceVersion = '0';
  #failure: unknown;

  constructor(options: {
    readonly config: KubeConfig;
    /** Collection path, e.g. `/api/v1/namespaces/x/pods`. */
    readonly path: string;
    readonly kind: { readonly apiVersion: string; readonly kind: string };
    readonly onEvent: (event: WatchedEvent) => void;
    /** Hears why the watch has ended before the signal; those who wait are told as well. */
    readonly onFailure?: (error: unknown) => void;
    readonly signal: AbortSignal;
  }) {
    this.#config = options.config;
    this.#path = options.path;
    this.#kind = options.kind;
    this.#onEvent = options.onEvent;
    this.#onFailure = options.onFailure ?? (() => undefined);
    this.#signal = options.signal;
    this.#changes.setMaxListeners(0);
  }

  /** Resolves when the first list is in and the watch has been asked for; goes on until the signal. */
  async start(): Promise<void> {
    await this.#relist();
    void this.#follow().catch((error: unknown) => {
      if (this.#signal.aborted) return;
      this.#failure = error;
      this.#changes.emit('change');
      this.#onFailure(error);
    });
  }

  get objects(): readonly ObservedObject[] {
    return [...this.#current.values()];
  }

  /** The first value that `pick` finds in the collection, now or after any change; the deadline's error tells what was last seen. */
  async until<T>(expectation: string, pick: (objects: readonly ObservedObject[]) => T | undefined, deadlineMs: number, signal = this.#signal): Promise<T> {
    return await expecting({ expected: expectation, deadlineMs }, (wait) => this.#untilPicked(wait, expectation, pick, deadlineMs, signal));
  }

  async #untilPicked<T>(wait: Pick<Wait, 'saw'>, expectation: string, pick: (objects: readonly ObservedObject[]) => T | undefined, deadlineMs: number, signal: AbortSignal): Promise<T> {
    const since = performance.now();
    return await new Promise<T>((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        this.#changes.off('change', check);
        signal.removeEventListener('abort', abort);
        end();
      };
      const check = (): void => {
        wait.saw(() => this.#describe());
        let found: T | undefined;
        try {
          found = pick(this.objects);
        } catch (error) {
          settle(() => reject(error));
          return;
        }
        if (found !== undefined) settle(() => resolve(found));
        else if (this.#failure !== undefined) settle(() => reject(new HarnessError('QL3_WAIT_ENDED', `the watch on ${this.#path} ended while waiting for ${expectation}`, { cause: this.#failure })));
      };
      const abort = (): void => settle(() => reject(signal.reason as Error));
      const timer = setTimeout(() => {
        const waited = Math.round(performance.now() - since);
        settle(() => reject(new HarnessError('QL3_WAIT_TIMEOUT', `expected ${expectation} within ${deadlineMs} ms, waited ${waited} ms; last seen at ${this.#path}: ${this.#describe()}`)));
      }, deadlineMs);
      signal.addEventListener('abort', abort, { once: true });
      this.#changes.on('change', check);
      if (signal.aborted) abort();
      else check();
    });
  }

  async #follow(): Promise<void> {
    for (let fruitless = 0; !this.#signal.aborted; ) {
      const from = this.#resourceVersion;
      const ended = await this.#watchOnce();
      if (this.#signal.aborted) return;
      if (ended === 'gone') await this.#relist();
      fruitless = this.#resourceVersion === from ? fruitless + 1 : 0;
      // a server that is away, or that cuts every connection, is not asked in a tight loop; who waits has a deadline
      if (fruitless > 0) await pause(backoffMs(fruitless), this.#signal);
    }
  }

  async #watchOnce(): Promise<'closed' | 'gone'> {
    const { promise, resolve, reject } = Promise.withResolvers<'closed' | 'gone'>();
    const controller = await new Watch(this.#config).watch(
      this.#path,
      { resourceVersion: this.#resourceVersion, allowWatchBookmarks: true },
      (type: string, object: { code?: number; metadata?: { resourceVersion?: string } }) => {
        if (type === 'ERROR') {
          if (object.code === GONE) resolve('gone');
          else reject(new HarnessError('QL3_CLUSTER_ANSWER', `the watch on ${this.#path} was answered with an error: ${JSON.stringify(object)}`));
          return;
        }
        this.#resourceVersion = object.metadata?.resourceVersion ?? this.#resourceVersion;
        try {
          if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') this.#take(type, { ...this.#kind, ...object });
        } catch (error) {
          reject(error); // the client would swallow it
        }
      },
      (error: unknown) => {
        const code = (error as { statusCode?: number } | null)?.statusCode;
        if (code === GONE) resolve('gone');
        else if (code !== undefined && code >= 400 && code < 500 && code !== TOO_MANY_REQUESTS) reject(new HarnessError('QL3_CLUSTER_ANSWER', `expected the API server to serve the watch on ${this.#path}, got ${code}`, { cause: error }));
        else resolve('closed'); // an idle connection that was cut, or a server that is busy or coming back
      },
    );
    const stop = (): void => controller.abort();
    this.#signal.addEventListener('abort', stop, { once: true });
    try {
      return await promise;
    } finally {
      this.#signal.removeEventListener('abort', stop);
      controller.abort();
    }
  }

  async #relist(): Promise<void> {
    const list = await getRaw<RawList>(this.#config, this.#path, this.#signal);
    const present = new Set(list.items.map((item) => item.metadata.uid));
    for (const object of this.objects) if (!present.has(object.metadata.uid)) this.#take('DELETED', object);
    for (const item of list.items) {
      const known = this.#current.get(item.metadata.uid);
      const object = toObservedObject({ ...this.#kind, ...item });
      if (known?.metadata.resourceVersion !== object.metadata.resourceVersion) this.#take(known === undefined ? 'ADDED' : 'MODIFIED', object);
    }
    this.#resourceVersion = list.metadata.resourceVersion;
  }

  #take(type: WatchedEvent['type'], raw: object): void {
    const object = toObservedObject(raw);
    if (type === 'DELETED') this.#current.delete(object.metadata.uid);
    else this.#current.set(object.metadata.uid, object);
    this.#onEvent({ type, object });
    this.#changes.emit('change');
  }

  #describe(): string {
    return this.objects.length === 0 ? 'nothing' : this.objects.map(describeObject).join(' | ');
  }
}
