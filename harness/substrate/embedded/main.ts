import { SupervisorHost } from './supervisor-host.ts';
import type { FromSupervisor, Order, SupervisorOptions, ToSupervisor } from './supervisor-protocol.ts';

/** One start message, then orders, then the end: by a stop message, a signal, or because the parent has gone. */
class Supervisor {
  #host: Promise<SupervisorHost> | null = null;
  #isEnding = false;
  readonly #ending = new AbortController();

  receive(message: ToSupervisor): void {
    if (message.type === 'start') void this.#start(message.options);
    else if (message.type === 'order') void this.#perform(message.id, message.order);
    else this.end(0);
  }

  /** Ends everything that was started, also what is still starting; a second call changes nothing. */
  end(exitCode: number): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#ending.abort(new Error('told to end'));
    void this.#release().then(
      () => process.exit(exitCode),
      (error: unknown) => {
        report(`the cluster did not end cleanly: ${describe(error)}`);
        process.exit(1);
      },
    );
  }

  async #start(options: SupervisorOptions): Promise<void> {
    if (this.#host !== null) return;
    this.#host = SupervisorHost.start(options, report, this.#ending.signal);
    try {
      const host = await this.#host;
      send({ type: 'ready', facts: host.facts });
      void host.databaseLost.then((code) => send({ type: 'database-lost', code }));
    } catch (error) {
      send({ type: 'failed', message: describe(error) });
      this.end(1);
    }
  }

  async #perform(id: number, order: Order): Promise<void> {
    try {
      await (await this.#host)?.perform(order);
      send({ type: 'answer', id, error: null });
    } catch (error) {
      send({ type: 'answer', id, error: describe(error) });
    }
  }

  async #release(): Promise<void> {
    const host = await this.#host?.catch(() => null);
    await host?.[Symbol.asyncDispose]();
  }
}

function send(message: FromSupervisor): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // a coded error says what is wrong; where it was thrown helps only with one that nobody foresaw
  return typeof (error as { code?: unknown }).code === 'string' ? `${String((error as { code?: unknown }).code)}: ${error.message}` : (error.stack ?? error.message);
}

if (process.send === undefined) {
  report('this program is started by the harness, with an IPC channel; run the harness instead');
  process.exit(2);
}
const supervisor = new Supervisor();
// A reader of stderr that has gone must not keep the clean-up from happening.
process.stderr.on('error', () => undefined);
process.on('message', (message: ToSupervisor) => supervisor.receive(message));
process.on('disconnect', () => supervisor.end(0));
process.on('SIGTERM', () => supervisor.end(143));
process.on('SIGINT', () => supervisor.end(130));
process.on('uncaughtException', (error) => {
  report(`uncaught: ${describe(error)}`);
  supervisor.end(1);
});
