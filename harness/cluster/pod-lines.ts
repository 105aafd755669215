import type { KubeConfig } from '@kubernetes/client-node';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { shortened } from '../../evidence/shortened.ts';
import { expecting } from '../progress/activity.ts';
import type { Wait } from '../progress/wait.ts';
import { HarnessError } from '../run/errors.ts';
import { lineInWords } from './line-words.ts';
import { backoffMs, MAX_ATTEMPTS, pause } from './patience.ts';
import { openStream } from './raw-request.ts';

/** Of what was seen last: two lines fit into what a screen shows of it, and the folder has all. */
const [TOLD, LONGEST_TOLD] = [2, 110];

export interface PodLine {
  readonly podUid: string;
  readonly podName: string;
  readonly namespace: string;
  readonly container: string;
  /** From 0, in the order of the container's log. */
  readonly index: number;
  readonly line: Readonly<Record<string, unknown>>;
}

interface Container {
  readonly namespace: string;
  readonly podName: string;
  readonly podUid: string;
  readonly container: string;
}

/** Follows container logs and keeps their JSON lines; lines that are no JSON object are counted and shown in errors only. */
export class PodLines {
  readonly #config: KubeConfig;
  readonly #onLine: (line: PodLine) => void;
  readonly #onFailure: (error: unknown) => void;
  readonly #signal: AbortSignal;
  readonly #lines: PodLine[] = [];
  readonly #plain = new Map<string, string[]>();
  readonly #containers = new Map<string, Container>();
  readonly #followed = new Map<string, Promise<void>>();
  readonly #changes = new EventEmitter().setMaxListeners(0);

  /** What `onLine` throws goes to `onFailure`: a line was not taken down. */
  constructor(options: { readonly config: KubeConfig; readonly onLine: (line: PodLine) => void; readonly onFailure: (error: unknown) => void; readonly signal: AbortSignal }) {
    this.#config = options.config;
    this.#onLine = options.onLine;
    this.#onFailure = options.onFailure;
    this.#signal = options.signal;
  }

  /** Idempotent for each container of a Pod; to be called when the container has started. */
  follow(container: Container): void {
    const key = `${container.podUid}/${container.container}`;
    if (this.#followed.has(key)) return;
    this.#containers.set(key, container);
    this.#followed.set(key, this.#follow(container, key));
  }

  /** Resolves when the log of every followed container of the Pod has ended. */
  async ended(podUid: string, deadlineMs: number): Promise<void> {
    await expecting({ expected: `the log of Pod ${podUid} to end`, deadlineMs }, (wait) => this.#ended(wait, podUid, deadlineMs));
  }

  async #ended(wait: Pick<Wait, 'saw'>, podUid: string, deadlineMs: number): Promise<void> {
    wait.saw(() => this.#tail(podUid));
    const ends = Promise.all([...this.#followed].filter(([key]) => key.startsWith(`${podUid}/`)).map(([, end]) => end));
    const late = AbortSignal.any([this.#signal, AbortSignal.timeout(deadlineMs)]);
    const tooLate = new Promise<never>((_, reject) => {
      const refuse = (): void => reject(this.#signal.aborted ? (this.#signal.reason as Error) : new HarnessError('QL3_WAIT_TIMEOUT', `expected the log of Pod ${podUid} to end within ${deadlineMs} ms; the last lines were: ${this.#tail()}`));
      if (late.aborted) refuse();
      else late.addEventListener('abort', refuse, { once: true });
    });
    await Promise.race([ends, tooLate]);
  }

  get all(): readonly PodLine[] {
    return this.#lines;
  }

  /** The last lines of each container that are no JSON. */
  get plain(): readonly (Container & { readonly text: string })[] {
    return [...this.#plain].flatMap(([key, texts]) => {
      const container = this.#containers.get(key);
      return container === undefined ? [] : texts.map((text) => ({ ...container, text }));
    });
  }

  async until(expectation: string, matches: (line: PodLine) => boolean, deadlineMs: number): Promise<PodLine> {
    const present = this.#lines.find(matches);
    if (present !== undefined) return present;
    this.#signal.throwIfAborted();
    return await expecting({ expected: expectation, deadlineMs }, (wait) => this.#untilLine(wait, expectation, matches, deadlineMs));
  }

  async #untilLine(wait: Pick<Wait, 'saw'>, expectation: string, matches: (line: PodLine) => boolean, deadlineMs: number): Promise<PodLine> {
    wait.saw(() => this.#tail());
    return await new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        this.#changes.off('line', check);
        this.#signal.removeEventListener('abort', abort);
        end();
      };
      const check = (line: PodLine): void => {
        if (matches(line)) settle(() => resolve(line));
        else wait.saw(() => this.#tail());
      };
      const abort = (): void => settle(() => reject(this.#signal.reason as Error));
      const timer = setTimeout(() => settle(() => reject(new HarnessError('QL3_WAIT_TIMEOUT', `expected ${expectation} within ${deadlineMs} ms; the last lines were: ${this.#tail()}`))), deadlineMs);
      this.#signal.addEventListener('abort', abort, { once: true });
      this.#changes.on('line', check);
    });
  }

  /** The last lines of all, or of one Pod. */
  #tail(podUid?: string): string {
    const isMeant = (uid: string): boolean => podUid === undefined || uid === podUid;
    const json = this.#lines.filter((line) => isMeant(line.podUid)).slice(-TOLD).map((line) => `${line.podName}/${line.container}: ${shortened(lineInWords(line.line), LONGEST_TOLD)}`);
    const plain = this.plain.filter((line) => isMeant(line.podUid)).slice(-TOLD).map((line) => `${line.podName}/${line.container}: ${shortened(line.text, LONGEST_TOLD)}`);
    return [...json, ...plain].join(' | ') || 'none';
  }

  async #follow(container: Container, key: string): Promise<void> {
    const progress = { taken: 0 };
    for (let attempt = 1; !this.#signal.aborted; attempt += 1) {
      try {
        await this.#readLog(container, key, progress);
        return;
      } catch (error) {
        if (this.#signal.aborted) return;
        // the Pod may be gone before its log could be read; who waits for a line of it says what came last
        this.#keep(key, `its log ended: ${error instanceof Error ? error.message : String(error)}`);
        if (!isCut(error) || attempt === MAX_ATTEMPTS) return;
        await pause(backoffMs(attempt), this.#signal).catch(() => undefined);
      }
    }
  }

  /** A log that was cut is read again from its start; what was taken before is passed over. */
  async #readLog({ namespace, podName, podUid, container }: Container, key: string, progress: { taken: number }): Promise<void> {
    const stream = await openStream(this.#config, `/api/v1/namespaces/${namespace}/pods/${podName}/log?container=${container}&follow=true`, this.#signal);
    const cut = new Promise<never>((_, reject) => stream.once('error', reject));
    cut.catch(() => undefined);
    let index = 0;
    for await (const text of createInterface({ input: stream, crlfDelay: Infinity })) {
      const line = parseObject(text);
      if (line === null) {
        this.#keep(key, text);
        continue;
      }
      if (index >= progress.taken) this.#take({ podUid, podName, namespace, container, index, line });
      index += 1;
      progress.taken = Math.max(progress.taken, index);
    }
    if (stream.errored !== null) await cut;
  }

  #take(line: PodLine): void {
    this.#lines.push(line);
    try {
      this.#onLine(line);
    } catch (error) {
      this.#onFailure(error);
    }
    this.#changes.emit('line', line);
  }

  #keep(key: string, text: string): void {
    this.#plain.set(key, [...(this.#plain.get(key) ?? []), text].slice(-20));
  }
}

/** The connection was lost; an answer that says no is final. */
function isCut(error: unknown): boolean {
  return !(error instanceof HarnessError);
}

function parseObject(text: string): Record<string, unknown> | null {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
