import { HarnessError } from './errors.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type InterruptSignal = (typeof SIGNALS)[number];

type State = { readonly stage: 'running' } | { readonly stage: 'stopping' | 'cleaning-at-once'; readonly by: InterruptSignal };

/** Interrupt once: stop, collect, clean. Twice: clean at once. Afterwards the process ends by the signal that it got. */
export class Interruption {
  #state: State = { stage: 'running' };
  readonly #stop = new AbortController();
  readonly #hurry = new AbortController();
  readonly #say: (line: string) => void;
  readonly #onSignal = (signal: InterruptSignal): void => this.#receive(signal);

  readonly #onParentGone = (): void => this.#receive('SIGHUP');

  constructor(say: (line: string) => void) {
    this.#say = say;
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
    // Whoever started this process over IPC waits for it; when that one is killed, nobody does any more.
    process.on('disconnect', this.#onParentGone);
    process.channel?.unref();
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Aborted by the second: do without what only serves understanding. */
  get hurry(): AbortSignal {
    return this.#hurry.signal;
  }

  get interruptedBy(): InterruptSignal | null {
    return this.#state.stage === 'running' ? null : this.#state.by;
  }

  [Symbol.dispose](): void {
    for (const signal of SIGNALS) process.removeListener(signal, this.#onSignal);
    process.removeListener('disconnect', this.#onParentGone);
  }

  /**
   * All its handlers first, also those of libraries that wait for children: none may take the signal for itself any more. Those of
   * the others stay: another signal that comes at this moment must not be what the process ends by.
   */
  dieBySignal(signal: InterruptSignal): void {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }

  #receive(signal: InterruptSignal): void {
    if (this.#state.stage === 'running') {
      this.#state = { stage: 'stopping', by: signal };
      this.#say(`${signal}: stopping, keeping the evidence, cleaning up; once more to clean up at once`);
      this.#stop.abort(new HarnessError('QL3_INTERRUPTED', `expected the run to come to its end, got ${signal}`));
    } else if (this.#state.stage === 'stopping') {
      this.#state = { stage: 'cleaning-at-once', by: this.#state.by };
      this.#say(`${signal} again: cleaning up at once`);
      this.#hurry.abort(new HarnessError('QL3_INTERRUPTED', `expected the evidence to be kept, got ${signal} again`));
    }
  }
}
