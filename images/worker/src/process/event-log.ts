/** The events of the Worker, closed. */
export type WorkerEvent =
  | 'starting'
  | 'reconciled'
  | 'registered'
  | 'active'
  | 'heartbeat_failed'
  | 'shutdown_requested'
  | 'shutdown_deferred'
  | 'stopped'
  | 'runtime_diagnostic'
  | 'process_failed';

export type EventLevel = 'info' | 'warn' | 'error';
export type EventFields = Readonly<Record<string, unknown>>;

export interface EventSubject {
  readonly workerId: string | null;
  readonly capacityProfile: string | null;
}

export interface EventStreams {
  readonly stdout: { write(line: string): unknown };
  readonly stderr: { write(line: string): unknown };
}

/**
 * One JSON object a line. Callers hand over ids, counts, codes and times, never a token, a key or a certificate.
 * `process_failed` goes to stderr, everything else to stdout.
 */
export class EventLog {
  readonly #streams: EventStreams;
  #subject: EventSubject = { workerId: null, capacityProfile: null };

  constructor(streams: EventStreams) {
    this.#streams = streams;
  }

  /** From here on every event names this Worker. */
  name(subject: EventSubject): void {
    this.#subject = subject;
  }

  info(event: WorkerEvent, fields: EventFields = {}): void {
    this.#write('info', event, fields);
  }

  warn(event: WorkerEvent, fields: EventFields = {}): void {
    this.#write('warn', event, fields);
  }

  error(event: WorkerEvent, fields: EventFields = {}): void {
    this.#write('error', event, fields);
  }

  #write(level: EventLevel, event: WorkerEvent, fields: EventFields): void {
    const { workerId, capacityProfile } = this.#subject;
    const line = { schemaVersion: 1, component: 'qinglong3-worker', level, event, workerId, capacityProfile, at: new Date().toISOString(), ...fields };
    const stream = event === 'process_failed' ? this.#streams.stderr : this.#streams.stdout;
    stream.write(`${JSON.stringify(line)}\n`);
  }
}
