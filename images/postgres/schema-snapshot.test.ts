import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readMigrations } from './migrations.ts';
import { SCHEMA_SNAPSHOT } from './schema-snapshot.ts';
import { TABLES } from './privileges.ts';
import { takeSnapshot } from './write-snapshot.ts';

test('the committed snapshot is what the migrations make of an empty database', async () => {
  const committed = readFileSync(new URL('./schema.snapshot.json', import.meta.url), 'utf8');
  assert.equal(await takeSnapshot(), committed, 'regenerate it with: node images/postgres/write-snapshot.ts');
});

test('the snapshot knows the migrations by their checksums and exactly the tables that have grants', () => {
  assert.deepEqual(SCHEMA_SNAPSHOT.migrations, readMigrations().map(({ id, checksum }) => ({ id, checksum })));
  assert.deepEqual(Object.keys(SCHEMA_SNAPSHOT.schema.tables).toSorted(), TABLES.toSorted());
  assert.deepEqual(SCHEMA_SNAPSHOT.schema.disabledTriggers, []);
});
