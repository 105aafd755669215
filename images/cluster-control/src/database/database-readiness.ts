import type { EventLog } from '../events/event-log.ts';

/** What a complete check of the database found, when it found it fit for use. */
export interface DatabaseFacts {
  readonly databaseUser: string;
  readonly serverMajor: number;
  readonly contractVersion: number | null;
}

export interface DatabaseProbe {
  /** Everything: server, schema, exact privileges. Rejects with the reason when the database is not fit for use. */
  complete(): Promise<DatabaseFacts>;
  /** Only that the database still answers and still takes writes. */
  brief(): Promise<void>;
}

export interface ReadinessOptions {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** A complete check is repeated at this age, so that a grant or migration made meanwhile is noticed. */
  readonly completeEveryMs: number;
}

const DEFAULTS: ReadinessOptions = { intervalMs: 2_000, timeoutMs: 5_000, completeEveryMs: 60_000 };

/**
 * Knows whether the database can be used. It is checked at intervals, and at once when a request has failed; after an
 * absence only a complete check makes it ready again.
 */
export class DatabaseReadiness {
  readonly #probe: DatabaseProbe;
  readonly #log: EventLog;
  readonly #options: ReadinessOptions;
  readonly #onReady: (facts: DatabaseFacts) => void;
  #ready = false;
  #completeAt = -Infinity;
  #lastReason: string | null = null;
  #running: Promise<boolean> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(probe: DatabaseProbe, log: EventLog, onReady: (facts: DatabaseFacts) => void, options: Partial<ReadinessOptions> = {}) {
    this.#probe = probe;
    this.#log = log;
    this.#onReady = onReady;
    this.#options = { ...DEFAULTS, ...options };
  }

  get isReady(): boolean {
    return this.#ready;
  }

  /** One check at a time: who asks while it runs shares its result. */
  check(): Promise<boolean> {
    if (this.#stopped) return Promise.resolve(false);
    this.#running ??= this.#checkOnce().finally(() => {
      this.#running = null;
      this.#schedule();
    });
    return this.#running;
  }

  stop(): void {
    this.#stopped = true;
    this.#ready = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (!this.#stopped) this.#timer = setTimeout(() => void this.check(), this.#options.intervalMs);
  }

  async #checkOnce(): Promise<boolean> {
    try {
      await withTimeout(this.#probeOnce(), this.#options.timeoutMs);
      return this.#ready;
    } catch (error) {
      this.#becomeUnready(error);
      return false;
    }
  }

  async #probeOnce(): Promise<void> {
    const now = performance.now();
    if (this.#ready && now - this.#completeAt < this.#options.completeEveryMs) return await this.#probe.brief();
    const facts = await this.#probe.complete();
    this.#completeAt = now;
    if (this.#ready || this.#stopped) return;
    this.#ready = true;
    this.#lastReason = null;
    this.#onReady(facts);
  }

  /** The same reason is told once, not at every interval. */
  #becomeUnready(error: unknown): void {
    this.#ready = false;
    const reason = error instanceof Error ? error.message : 'unknown error';
    if (reason === this.#lastReason || this.#stopped) return;
    this.#lastReason = reason;
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
    this.#log.warn('database_not_ready', { code: 'QL3_CLUSTER_CONTROL_DATABASE_NOT_READY', cause: code, reason });
  }
}

async function withTimeout(work: Promise<void>, timeoutMs: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
