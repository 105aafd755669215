import { chmodSync, closeSync, constants, copyFileSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { WITNESS_OF, type Observation, type ObservationBodies, type ObservationKind, type Witness } from './observation.ts';
import { secretIn } from './secret-patterns.ts';

export type ObservationLogErrorCode = 'OBSERVATION_WITNESS' | 'OBSERVATION_SECRET' | 'OBSERVATION_LOG_CLOSED';

export class ObservationLogError extends Error {
  readonly code: ObservationLogErrorCode;
  constructor(code: ObservationLogErrorCode, message: string) {
    super(message);
    this.name = 'ObservationLogError';
    this.code = code;
  }
}

export interface ObservationLog extends Disposable {
  /** Everything recorded so far, in order. */
  readonly observations: readonly Observation[];
  /** Appends one observation and answers its sequence number. Refuses a witness that may not speak of the kind, and a body that holds a secret. */
  record<K extends ObservationKind>(kind: K, witness: Witness, subject: string, body: ObservationBodies[K]): number;
  /** Copies what was recorded so far to a new private file, also after the log was closed. */
  copyTo(path: string): void;
  /** Syncs and closes the file. A second call does nothing. */
  close(): void;
}

export interface Clocks {
  /** Wall clock, ms since the epoch. */
  wallMs(): number;
  /** Any monotonic clock, ms. */
  monotonicMs(): number;
}

/** Opens a new log, mode 0600; the file must not exist. */
export function openObservationLog(path: string, clocks: Clocks = { wallMs: Date.now, monotonicMs: () => performance.now() }): ObservationLog {
  const { O_CREAT, O_EXCL, O_WRONLY, O_APPEND, O_NOFOLLOW } = constants;
  const openedAtMs = clocks.monotonicMs();
  const observations: Observation[] = [];
  let file: number | null = openSync(path, O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_NOFOLLOW, 0o600);

  function record<K extends ObservationKind>(kind: K, witness: Witness, subject: string, body: ObservationBodies[K]): number {
    if (file === null) throw new ObservationLogError('OBSERVATION_LOG_CLOSED', `the log is closed, ${kind} about ${subject} came too late`);
    if (!WITNESS_OF[kind].includes(witness)) {
      throw new ObservationLogError('OBSERVATION_WITNESS', `${kind} is told by ${WITNESS_OF[kind].join(' or ')}, not by ${witness}`);
    }
    const observation = {
      seq: observations.length + 1,
      at: new Date(clocks.wallMs()).toISOString(),
      offsetMs: Math.floor(clocks.monotonicMs() - openedAtMs),
      witness,
      kind,
      subject,
      body,
    } as unknown as Observation;
    const line = JSON.stringify(observation);
    const secret = secretIn(line);
    if (secret !== null) throw new ObservationLogError('OBSERVATION_SECRET', `${kind} about ${subject} holds ${secret}; it is not recorded`);
    writeSync(file, `${line}\n`);
    observations.push(JSON.parse(line) as Observation);
    return observation.seq;
  }

  function close(): void {
    if (file === null) return;
    fsyncSync(file);
    closeSync(file);
    file = null;
  }

  function copyTo(target: string): void {
    copyFileSync(path, target, constants.COPYFILE_EXCL);
    chmodSync(target, 0o600);
  }

  return { observations, record, copyTo, close, [Symbol.dispose]: close };
}
