import assert from 'node:assert/strict';
import pg from 'pg';
import { insertRow, type Row } from './test-rows.ts';
import type { TableName } from './privileges.ts';

/** For tests alone: asks a real server what it makes of single rows and of successions of rows. */
export class ConstraintProbe {
  readonly #client: pg.PoolClient;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  /** The name of the CHECK that refuses the row, or null. Triggers and foreign keys do not fire. */
  async checkOf(table: TableName, row: Row): Promise<string | null> {
    return await this.#inTransaction(async () => {
      await this.#client.query('SET LOCAL session_replication_role = replica');
      return await this.refusalOf(() => insertRow(this.#client, table, row));
    });
  }

  /** What refuses the last step after the earlier rows were put in place unasked: a trigger's rule, a CHECK or a key. */
  async refusalAfter(earlier: readonly (readonly [TableName, Row])[], step: (client: pg.PoolClient) => Promise<unknown>): Promise<string | null> {
    return await this.#inTransaction(async () => {
      await this.#client.query('SET LOCAL session_replication_role = replica');
      for (const [table, row] of earlier) await insertRow(this.#client, table, row);
      await this.#client.query('SET LOCAL session_replication_role = origin');
      return await this.refusalOf(() => step(this.#client));
    });
  }

  async refusalOf(statement: () => Promise<unknown>): Promise<string | null> {
    try {
      await statement();
      return null;
    } catch (error) {
      assert.ok(error instanceof pg.DatabaseError && error.code?.startsWith('23'), String(error));
      return error.constraint ?? `not null ${String(error.column)}`;
    }
  }

  async #inTransaction<T>(work: () => Promise<T>): Promise<T> {
    await this.#client.query('BEGIN');
    try {
      return await work();
    } finally {
      await this.#client.query('ROLLBACK');
    }
  }
}
