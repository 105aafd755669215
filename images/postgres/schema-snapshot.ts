import snapshot from './schema.snapshot.json' with { type: 'json' };
import type { SchemaDescription } from './catalog.ts';
import type { AppliedMigration } from './migrate.ts';

/** What a database must be, as it came out of the migrations of this version on a real server. */
export interface SchemaSnapshot {
  readonly contractVersion: number;
  readonly migrations: readonly AppliedMigration[];
  readonly schema: SchemaDescription;
}

/** Part of the program, so that a process needs no files to know what it expects. */
export const SCHEMA_SNAPSHOT: SchemaSnapshot = snapshot;
