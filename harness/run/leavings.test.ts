import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { listRunFolders } from './leavings.ts';
import { identifyProcess } from './process-identity.ts';

const parent = mkdtempSync(join(realpathSync(tmpdir()), 'ql3-leavings-'));
after(() => rmSync(parent, { recursive: true, force: true }));

function folder(name: string, owner: unknown): string {
  const path = join(parent, name);
  mkdirSync(path);
  if (owner !== undefined) writeFileSync(join(path, 'owner.json'), typeof owner === 'string' ? owner : JSON.stringify(owner));
  return path;
}
const owned = (runId: string, owner: object): object => ({ schemaVersion: 1, runId, owner, createdAt: '2026-01-01T00:00:00.000Z' });

test('a folder is in use as long as the very process that made it lives; nothing else is taken for a run', () => {
  const self = identifyProcess(process.pid);
  const live = folder('ql3-evidence-live', owned('live', self));
  const dead = folder('ql3-evidence-dead', owned('dead', { ...self, startTicks: '1' }));
  folder('ql3-evidence-bare', undefined);
  folder('ql3-evidence-damaged', '{');
  folder('ql3-evidence-odd', owned('odd', { pid: 'x' }));
  folder('other', owned('other', { ...self, startTicks: '1' }));
  symlinkSync(dead, join(parent, 'ql3-evidence-link'));
  assert.deepEqual(
    new Map(listRunFolders(parent).map(({ path, inUse }) => [path, inUse])),
    new Map([[dead, false], [live, true]]),
  );
});

test('in a temporary folder that is not there nothing was left', () => {
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = join(parent, 'missing');
  try {
    assert.deepEqual(listRunFolders().filter(({ path }) => path.startsWith(parent)), []);
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
});
