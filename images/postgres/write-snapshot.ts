import { writeFile } from 'node:fs/promises';
import { describeSchema } from './catalog.ts';
import { readMigrations } from './migrations.ts';
import { createTestDatabase } from './test-database.ts';
import type { SchemaSnapshot } from './schema-snapshot.ts';

/** The snapshot as it is now, keys sorted, so that two servers give the same text. */
export async function takeSnapshot(): Promise<string> {
  await using database = await createTestDatabase();
  const migrations = readMigrations().map(({ id, checksum }) => ({ id, checksum }));
  const snapshot: SchemaSnapshot = {
    contractVersion: migrations.length,
    migrations,
    schema: await describeSchema(database.open('ql3_migration')),
  };
  return `${JSON.stringify(sorted(snapshot), null, 2)}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, held]) => [key, sorted(held)]));
}

if (import.meta.main) {
  await writeFile(new URL('./schema.snapshot.json', import.meta.url), await takeSnapshot());
}
