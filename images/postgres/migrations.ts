import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';

export interface Migration {
  readonly id: string;
  readonly sql: string;
  readonly checksum: string;
}

const FOLDER = new URL('./migrations/', import.meta.url);
const FILE_NAME = /^([0-9]{4}-[a-z0-9-]{1,59})\.sql$/u;

/** The migrations that lie beside this module (or beside the bundle that holds it), in their order. */
export function readMigrations(folder: URL = FOLDER): readonly Migration[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const id = FILE_NAME.exec(name)?.[1];
      return id === undefined ? [] : [toMigration(id, readFileSync(new URL(name, folder), 'utf8'))];
    });
}

export function toMigration(id: string, sql: string): Migration {
  return { id, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}
