import { createHash } from 'node:crypto';
import { WITNESS_OF, type AuditEvent, type Observation, type ObservationBodies, type ObservationKind, type StepId, type Witness } from '../observation.ts';

export type Row = Record<string, string | number | boolean | null>;
type Draft = { [K in ObservationKind]: { kind: K; witness: Witness; subject: string; body: ObservationBodies[K]; atMs: number } }[ObservationKind];

const BEGIN_MS = Date.UTC(2026, 0, 15, 10, 0, 0);

/** Tells a run as its witnesses would: every fact once, on one clock. The audit log and the rows are heard at the end, as in a real run. */
export class Story {
  #nowMs = BEGIN_MS;
  #count = 0;
  readonly #told: Draft[] = [];
  readonly #audits: AuditEvent[] = [];
  readonly #rows = new Map<string, Row[]>();

  /** Lets time pass and gives the new instant, ms. */
  pass(ms = 20): number {
    this.#nowMs += ms;
    return this.#nowMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get nowIso(): string {
    return new Date(this.#nowMs).toISOString();
  }

  get nowSecond(): string {
    return this.nowIso.replace(/\.\d{3}Z$/, 'Z');
  }

  uuid(): string {
    return `00000000-0000-4000-8000-${this.#next().toString(16).padStart(12, '0')}`;
  }

  sessionId(): string {
    return `01900000-0000-7000-8000-${this.#next().toString(16).padStart(12, '0')}`;
  }

  resourceVersion(): string {
    return String(1000 + this.#next());
  }

  tell<K extends ObservationKind>(kind: K, body: ObservationBodies[K], witness?: Witness): void {
    this.#told.push({ kind, witness: witness ?? WITNESS_OF[kind][0], subject: kind, body, atMs: this.pass(1) } as Draft);
  }

  /** What happens in it lies between its beginning and its end. */
  step<T>(step: StepId, happens: () => T): T {
    this.tell('run.step', { step, state: 'started' });
    const outcome = happens();
    this.tell('run.step', { step, state: 'finished' });
    return outcome;
  }

  /** One answered request in the API server's log. */
  audit(event: Partial<AuditEvent> & Pick<AuditEvent, 'verb' | 'user' | 'resource'>): void {
    const receivedAt = new Date(this.pass(2)).toISOString().replace('Z', '250Z');
    const completedAt = new Date(this.pass(1)).toISOString().replace('Z', '750Z');
    this.#audits.push({
      auditId: this.uuid(),
      stage: 'ResponseComplete',
      impersonatedUser: null,
      apiGroup: '',
      subresource: null,
      namespace: null,
      name: null,
      resourceVersion: null,
      uid: null,
      code: 200,
      reason: null,
      receivedAt,
      completedAt,
      credentialId: null,
      podName: null,
      podUid: null,
      accessReview: null,
      ...event,
    });
  }

  row(table: string, row: Row): Row {
    this.#rows.set(table, [...(this.#rows.get(table) ?? []), row]);
    return row;
  }

  rowsOf(table: string): readonly Row[] {
    return this.#rows.get(table) ?? [];
  }

  end(): Observation[] {
    this.step('collect', () => {
      for (const [table, rows] of this.#rows) this.tell('database.rows', { table, moment: 'collect', rows });
      for (const audit of this.#audits) this.tell('api.audit', audit);
    });
    this.tell('run.finished', { observations: this.#told.length });
    return renumber(this.#told.map(({ atMs, ...told }) => ({ seq: 0, at: new Date(atMs).toISOString(), offsetMs: atMs - BEGIN_MS, ...told })));
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }
}

/** Gives the log its numbers anew after something was taken out or put in, and corrects the count at its end: a forger would do no less. */
export function renumber(observations: readonly Observation[]): Observation[] {
  return observations.map((observation, index) => {
    const numbered = { ...observation, seq: index + 1 };
    return numbered.kind === 'run.finished' ? { ...numbered, body: { observations: index } } : numbered;
  });
}

export function hex(label: string): string {
  return createHash('sha256').update(label).digest('hex');
}
