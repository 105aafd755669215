import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ENVIRONMENT } from './environment.ts';
import { readmeTables, sectionOf } from './readme-tables.ts';

const root = new URL('../../', import.meta.url).pathname;
/** Whose meaning is not ours: the bootstrap sets the second for the process that it starts. */
const NODE_AND_SYSTEM = new Set(['PATH', 'NODE_COMPILE_CACHE']);
const readme = readFileSync(`${root}README.md`, 'utf8');

test('the tables of commands, exit codes and variables are those in the code', async () => {
  for (const [name, content] of Object.entries(await readmeTables())) assert.equal(sectionOf(readme, name), content, `section ${name}: node harness/cli/write-readme.ts`);
});

test('every variable that harness and auditor read from the environment is in the table', () => {
  const files = execFileSync('git', ['-c', `safe.directory=${root.replace(/\/$/, '')}`, 'ls-files', 'harness', 'auditor'], { cwd: root, encoding: 'utf8' }).split('\n');
  const documented = Object.keys(ENVIRONMENT).join(' ');
  for (const file of files.filter((name) => /\.(ts|mjs)$/.test(name) && !/(\.test\.ts|\.script\.mjs|\/testing\/|^harness\/conformance\/|^harness\/substrate\/embedded\/)/.test(name))) {
    for (const [, name] of readFileSync(`${root}${file}`, 'utf8').matchAll(/process\.env(?:\.|\[')([A-Z][A-Z0-9_]+)/g)) {
      assert.ok(NODE_AND_SYSTEM.has(name as string) || documented.includes(`\`${name}\``), `${file} reads ${name}, which README.md does not name`);
    }
  }
});
