import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('write-contexts.ts', import.meta.url));

describe('images:contexts', () => {
  let base = '';
  before(() => void (base = mkdtempSync(join(tmpdir(), 'ql3-contexts-'))));
  after(() => rmSync(base, { recursive: true }));

  const refused = (folder: string, expected: RegExp): void => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, folder], { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [2, ''], stderr);
    assert.match(stderr, /^QL3_USAGE: expected [^\n]+\n$/);
    assert.match(stderr, expected);
    assert.ok(stderr.includes(folder), stderr);
  };

  test('a folder that is there, say of an earlier call: one line that says what to do, and it stays as it is', () => {
    const folder = join(base, 'contexts');
    mkdirSync(folder);
    writeFileSync(join(folder, 'kept'), '');
    refused(folder, /remove this one, or name another/);
    assert.deepEqual(readdirSync(folder), ['kept']);
  });

  test('a folder that cannot be made says what it lacks', () => {
    writeFileSync(join(base, 'file'), '');
    refused(join(base, 'absent', 'contexts'), /make that first/);
    refused(join(base, 'file', 'contexts'), /not in a file/);
  });
});
