import { DATABASE_NOW_MS } from '../clock.ts';
import type { Database } from '../connection.ts';
import { integer, text } from './worker-session-row.ts';

export interface WorkerCredential {
  readonly credentialId: string;
  readonly workerId: string;
  readonly version: number;
  readonly state: string;
  readonly secretDigest: string;
  readonly notBeforeAtMs: number;
  readonly expiresAtMs: number;
  /** The database's time at which the rest was true. */
  readonly databaseNowMs: number;
}

/** Finds what a presented token is compared with; null when there is no credential of that id. */
export class WorkerCredentialLookup {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async findLatest(credentialId: string): Promise<WorkerCredential | null> {
    const found = await this.#database.query(
      `SELECT worker_id, version, state, secret_digest, not_before_at_ms, expires_at_ms,
         ${DATABASE_NOW_MS} AS now_ms
       FROM ql3.worker_credentials WHERE credential_id = $1 ORDER BY version DESC LIMIT 1`,
      [credentialId],
    );
    const row: Record<string, unknown> | undefined = found.rows[0];
    if (row === undefined) return null;
    return {
      credentialId,
      workerId: text(row, 'worker_id'),
      version: integer(row, 'version'),
      state: text(row, 'state'),
      secretDigest: text(row, 'secret_digest'),
      notBeforeAtMs: integer(row, 'not_before_at_ms'),
      expiresAtMs: integer(row, 'expires_at_ms'),
      databaseNowMs: integer(row, 'now_ms'),
    };
  }
}
