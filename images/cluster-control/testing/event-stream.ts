import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';

export type LoggedEvent = Readonly<Record<string, unknown>> & { readonly event: string };

/** The JSON lines of a process, kept, so that a test can wait for one that came before it asked. */
export class EventStream {
  readonly events: LoggedEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #ended = false;

  constructor(stream: Readable) {
    const lines = createInterface({ input: stream });
    lines.on('line', (line) => {
      this.events.push(JSON.parse(line) as LoggedEvent);
      this.#wake();
    });
    lines.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  named(event: string): LoggedEvent[] {
    return this.events.filter((logged) => logged.event === event);
  }

  /** The first event, at or after `from`, that fits; rejects with everything seen when the stream ends or time is up. */
  async waitFor(event: string, fits: (logged: LoggedEvent) => boolean = () => true, from = 0, timeoutMs = 60_000): Promise<LoggedEvent> {
    const deadline = AbortSignal.timeout(timeoutMs);
    for (;;) {
      const found = this.events.slice(from).find((logged) => logged.event === event && fits(logged));
      if (found !== undefined) return found;
      if (this.#ended || deadline.aborted) throw new Error(`no event ${event}; seen: ${JSON.stringify(this.events, null, 1)}`);
      await this.#nextChange(deadline);
    }
  }

  #nextChange(deadline: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        deadline.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      deadline.addEventListener('abort', wake);
    });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
