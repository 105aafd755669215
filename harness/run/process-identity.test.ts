import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { identifyProcess, isAlive } from './process-identity.ts';

test('a process is alive until it has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
  await once(child, 'spawn');
  const identity = identifyProcess(child.pid as number);
  assert.equal(isAlive(identity), true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(isAlive(identity), false);
});

test('a process that has ended is not alive because its new parent never asks how', { skip: process.platform !== 'linux' && 'reads /proc' }, async (t) => {
  // what the shell turns into knows of no child, and reaps none
  const parent = spawn('/bin/sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => parent.kill('SIGKILL'));
  const pid = Number(String((await once(parent.stdout, 'data'))[0]));
  const identity = identifyProcess(pid);
  assert.equal(isAlive(identity), true);
  // until then it is a shell, which may ask how its child ended
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n', 'the shell to have become what reaps none');
  process.kill(pid, 'SIGKILL');
  // nothing tells of an end that nobody asks for: the state is looked at
  await until(() => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')), 'the process to end');
  assert.equal(isAlive(identity), false);
});

test('another process under the same pid, or one of an earlier boot, is not the one that was meant', () => {
  const self = identifyProcess(process.pid);
  assert.equal(isAlive(self), true);
  assert.equal(isAlive({ ...self, startTicks: '1' }), false);
  assert.equal(isAlive({ ...self, bootId: '00000000-0000-0000-0000-000000000000' }), false);
});

test('what cannot be looked at from here may live: a process of another machine, or of a container beside this one', () => {
  const gone = { ...identifyProcess(process.pid), startTicks: '1' };
  assert.equal(isAlive(gone), false);
  assert.equal(isAlive({ ...gone, machine: '0123456789abcdef' }), true);
  assert.equal(isAlive({ ...gone, pidNamespace: 'pid:[1]' }), true);
  assert.equal(isAlive({ pid: gone.pid, startTicks: '1', bootId: gone.bootId }), false);
});

async function until(holds: () => boolean, what: string): Promise<void> {
  for (const deadlineAt = performance.now() + 30_000; !holds(); await delay(5)) assert.ok(performance.now() < deadlineAt, `expected ${what}`);
}
