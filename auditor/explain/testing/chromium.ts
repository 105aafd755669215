import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const START_DEADLINE_MS = 180_000;

/** The browser's program, or null where there is none. */
export function findChromium(): string | null {
  return NAMES.find((name) => spawnSync(name, ['--version']).status === 0) ?? null;
}

type Answer = { readonly id?: number; readonly method?: string; readonly params?: Record<string, unknown>; readonly result?: Record<string, unknown>; readonly error?: { readonly message: string } };
export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly scheme?: 'light' | 'dark';
  readonly media?: 'screen' | 'print';
}

/** One tab of a real Chromium, spoken to by the DevTools protocol. */
export class Chromium implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #socket: WebSocket;
  readonly #profile: string;
  readonly #pending = new Map<number, (answer: Answer) => void>();
  readonly #events: Answer[] = [];
  #waiting: ((event: Answer) => void)[] = [];
  #session: string | null = null;
  #last = 0;
  #shown = 0;

  private constructor(child: ChildProcess, socket: WebSocket, profile: string) {
    [this.#process, this.#socket, this.#profile] = [child, socket, profile];
    socket.addEventListener('message', ({ data }) => this.#hear(JSON.parse(String(data)) as Answer));
  }

  static async start(program: string): Promise<Chromium> {
    const profile = mkdtempSync(join(tmpdir(), 'ql3-chromium-'));
    const child = spawn(program, ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--force-device-scale-factor=1', '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
    const signal = AbortSignal.timeout(START_DEADLINE_MS);
    for await (const [line] of lines(child, signal)) {
      const [, url] = /^DevTools listening on (ws:.*)$/.exec(line) ?? [];
      if (url === undefined) continue;
      const socket = new WebSocket(url);
      await once(socket as unknown as EventTarget, 'open', { signal });
      const browser = new Chromium(child, socket, profile);
      // nobody reads on, and a full pipe would stop the browser
      child.stderr?.resume();
      await browser.#open();
      return browser;
    }
    throw new Error('expected Chromium to say where it listens, got the end of its output');
  }

  async #open(): Promise<void> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    this.#session = sessionId as string;
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await this.send(`${domain}.enable`);
    await this.send('Page.setLifecycleEventsEnabled', { enabled: true });
  }

  #hear(answer: Answer): void {
    if (answer.id !== undefined) this.#pending.get(answer.id)?.(answer);
    else {
      this.#events.push(answer);
      for (const wake of this.#waiting) wake(answer);
    }
  }

  async send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    this.#last += 1;
    const id = this.#last;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#pending.set(id, resolve);
    this.#socket.send(JSON.stringify({ id, method, params, ...(this.#session === null ? {} : { sessionId: this.#session }) }));
    const { result = {}, error } = await promise;
    this.#pending.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Shows a file, and answers what was loaded for it and what the browser complained of. */
  async show(url: string, { width, height, scheme = 'light', media = 'screen' }: Screen): Promise<{ readonly requests: readonly string[]; readonly complaints: readonly string[] }> {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    await this.send('Emulation.setEmulatedMedia', { media, features: [{ name: 'prefers-color-scheme', value: scheme }] });
    this.#events.length = 0;
    // a change of the fragment alone would load nothing
    this.#shown += 1;
    await this.#load(url.startsWith('file:') ? url.replace(/(?=#|$)/, `?${this.#shown}`) : url);
    const of = (method: string): readonly Record<string, unknown>[] => this.#events.filter((event) => event.method === method).map(({ params = {} }) => params);
    return {
      requests: of('Network.requestWillBeSent').map(({ request }) => (request as { url: string }).url.replace(/\?\d+(?=#|$)/, '')),
      complaints: [...of('Log.entryAdded').map(({ entry }) => JSON.stringify(entry)), ...of('Runtime.exceptionThrown').map((each) => JSON.stringify(each))],
    };
  }

  /** Until this very document is loaded, which the end of an earlier one does not tell, and has been painted once, fragment and all. */
  async #load(url: string): Promise<void> {
    const { loaderId } = await this.send('Page.navigate', { url });
    await this.#event(({ method, params }) => method === 'Page.lifecycleEvent' && params?.['name'] === 'load' && params['loaderId'] === loaderId);
    await this.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(() => painted(null))))');
  }

  /** One that has come since this page was asked for, or will. */
  async #event(isIt: (event: Answer) => boolean): Promise<void> {
    if (this.#events.some(isIt)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (event: Answer): void => {
      if (!isIt(event)) return;
      this.#waiting = this.#waiting.filter((each) => each !== wake);
      resolve();
    };
    this.#waiting.push(wake);
    await promise;
  }

  /** What an expression gives in the page; it is not bound by the page's policy. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value: T }).value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // the end of the pipe, that is of all its processes: until then one of them may write to the profile
    const ended = this.#process.stderr?.closed === false ? once(this.#process.stderr, 'close') : null;
    this.#process.kill();
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function* lines(child: ChildProcess, signal: AbortSignal): AsyncGenerator<[string]> {
  if (child.stderr === null) return;
  for await (const line of createInterface({ input: child.stderr, signal })) yield [line];
}
