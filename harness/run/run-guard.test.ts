import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { RunGuard } from './run-guard.ts';

const base = mkdtempSync(join(tmpdir(), 'ql3-run-guard-'));
after(() => rmSync(base, { recursive: true, force: true }));

const HOLDER = `
import { spawn } from 'node:child_process';
import { RunGuard } from ${JSON.stringify(new URL('run-guard.ts', import.meta.url).href)};
const guard = new RunGuard(process.argv[1]);
const heir = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: ['ignore', 'ignore', 'ignore', guard.lifeline] });
console.log(heir.pid);
setInterval(() => {}, 1000);
`;

function folder(name: string): string {
  const path = join(base, name);
  mkdirSync(path);
  writeFileSync(join(path, 'key.pem'), 'private');
  return path;
}

async function gone(path: string): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  const watcher = watch(base);
  try {
    while (existsSync(path)) await once(watcher, 'change', { signal });
  } finally {
    watcher.close();
  }
}

test('the folder goes when its owner and whoever inherited it were killed, and not before', async () => {
  const path = folder('killed');
  const owner: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  assert.ok(owner.stdout);
  const [heir] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  assert.ok(existsSync(path), 'the heir still uses it');
  const removed = gone(path);
  process.kill(Number(heir), 'SIGKILL');
  await removed;
});

test('a folder that its owner could not remove, since another still writes into it, goes when that one has ended', async () => {
  const path = folder('in-use');
  const guard = new RunGuard(path);
  const heir = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: ['ignore', 'ignore', 'ignore', guard.lifeline] });
  await guard[Symbol.asyncDispose]();
  assert.ok(existsSync(path), 'the heir still uses it');
  const removed = gone(path);
  heir.kill('SIGKILL');
  await removed;
});

test('a folder that has been removed is none of its business any more: what has the name later stays', async () => {
  const path = folder('done');
  const guard = new RunGuard(path);
  rmSync(path, { recursive: true });
  await guard[Symbol.asyncDispose]();
  folder('done');
  assert.throws(() => process.kill(guard.pid, 0), { code: 'ESRCH' });
  assert.ok(existsSync(join(path, 'key.pem')));
});
