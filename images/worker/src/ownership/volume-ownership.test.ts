import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { WorkerFixture } from '../../testing/worker-fixture.ts';
import { acquireLock, type AcquiredLock, type LockWait } from './acquire-lock.ts';
import { lockPath } from './lock-file.ts';
import { currentProcessIdentity, type ProcessIdentity } from './process-identity.ts';

async function inFolder(body: (root: string) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'ql3-lock-'));
  try {
    await body(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function acquire(root: string, self: ProcessIdentity, onWait: (wait: LockWait) => void = () => {}, signal = new AbortController().signal): Promise<AcquiredLock | null> {
  return acquireLock({ root, self, onWait, onLost: () => {}, signal });
}

async function writeOwner(root: string, owner: ProcessIdentity): Promise<void> {
  await writeFile(lockPath(root, 1), JSON.stringify({ owner, acquiredAtMs: 0, released: 0, refreshes: '000000000007' }));
}

void suite('two Workers on one volume', { concurrency: 3 }, () => {
  void test('the second one waits visibly, and goes on when the first one has drained', async () => {
    await using fixture = await WorkerFixture.create();
    const first = fixture.start({ QL3_WORKER_POD_UID: 'pod-one' });
    await first.event('active');
    const second = fixture.start({ QL3_WORKER_POD_UID: 'pod-two' });
    const waiting = await second.event('runtime_diagnostic', { code: 'lock_waiting' });
    assert.deepEqual({ ...(waiting['owner'] as ProcessIdentity), bootId: '', pidNamespace: '', startTime: '' }, { podUid: 'pod-one', pid: first.pid, bootId: '', pidNamespace: '', startTime: '' });
    first.kill('SIGTERM');
    assert.equal(await first.exitCode(), 0);
    await second.event('runtime_diagnostic', { code: 'lock_acquired', ground: 'released' });
    assert.equal((await second.event('reconciled'))['sessionsOffline'], 1);
    assert.equal((await second.event('registered'))['generation'], 2);
    const steps = fixture.ingress.seen.all.map((request) => request.step).filter((step) => step !== 'heartbeat');
    assert.deepEqual(steps.slice(-3), ['draining', 'offline', 'register'], 'the successor registers only after its predecessor is offline');
  });

  void test('after kill -9 the owner is provably gone, and its session is closed before a new one begins', async () => {
    await using fixture = await WorkerFixture.create();
    const first = fixture.start();
    const { sessionId } = await first.event('registered');
    await first.event('active');
    first.kill('SIGKILL');
    await first.exit;
    const second = fixture.start();
    await second.event('runtime_diagnostic', { code: 'lock_acquired', ground: 'owner_gone' });
    assert.deepEqual((await second.event('reconciled'))['abandonedSessionIds'], [sessionId]);
    await second.event('registered', { generation: 2, replacedSessionId: sessionId });
  });

  void test('an owner that is silent for 5 s loses the volume, and learns it before it writes', async () => {
    await using fixture = await WorkerFixture.create();
    const first = fixture.start({ QL3_WORKER_HEARTBEAT_INTERVAL_MS: '120000', QL3_WORKER_SESSION_LEASE_DURATION_MS: '300000' });
    await first.event('active');
    first.kill('SIGSTOP');
    const second = fixture.start();
    const acquired = await second.event('runtime_diagnostic', { code: 'lock_acquired', ground: 'unrefreshed' });
    assert.ok(Number(acquired['waitedMs']) >= 5_000);
    await second.event('active');
    first.kill('SIGCONT');
    await first.event('process_failed', { code: 'WORKER_LOCK_LOST' });
    assert.equal(await first.exitCode(), 1);
    second.kill('SIGTERM');
    assert.equal(await second.exitCode(), 0);

    const third = fixture.start();
    const reconciled = await third.event('reconciled');
    assert.equal(reconciled['tornRecords'], 0);
    assert.equal(reconciled['sessionsFound'], 2);
  });

  void test('SIGTERM while it waits: stopped, exit 0, and the owner is not disturbed', async () => {
    await using fixture = await WorkerFixture.create();
    const first = fixture.start();
    await first.event('active');
    const second = fixture.start();
    await second.event('runtime_diagnostic', { code: 'lock_waiting' });
    second.kill('SIGTERM');
    await second.event('stopped', { sessionId: null });
    assert.equal(await second.exitCode(), 0);
    first.kill('SIGTERM');
    assert.equal(await first.exitCode(), 0);
  });
});

void suite('the ownership lock', { concurrency: 4 }, () => {
  void test('of many that find the same dead owner exactly one follows', async () => {
    await inFolder(async (root) => {
      const self = await currentProcessIdentity('racer');
      await writeOwner(root, { ...self, startTime: '1' });
      const stop = new AbortController();
      const racers = Array.from({ length: 24 }, () => acquire(root, self, () => {}, stop.signal));
      const winner = await Promise.race(racers);
      stop.abort();
      const acquired = (await Promise.all(racers)).filter((lock) => lock !== null);
      assert.deepEqual(acquired, [winner]);
      assert.deepEqual(await readdir(root), ['owner-0000000002.lock']);
      await winner?.lock.release();
    });
  });

  void test('an owner in another pid namespace or boot proves nothing by its pid: it is waited for', async () => {
    for (const foreign of [{ pidNamespace: 'pid:[1]' }, { bootId: 'another' }]) {
      await inFolder(async (root) => {
        const self = await currentProcessIdentity(null);
        await writeOwner(root, { ...self, ...foreign, pid: 4_000_000, startTime: '1' });
        const waits: LockWait[] = [];
        const acquired = await acquire(root, self, (wait) => waits.push(wait));
        assert.equal(acquired?.ground, 'unrefreshed');
        assert.ok(acquired.waitedMs >= 5_000);
        assert.equal(waits[0]?.owner?.pid, 4_000_000);
        await acquired.lock.release();
      });
    }
  });

  void test('a lock file that was torn by a crash is waited for like a silent owner', async () => {
    await inFolder(async (root) => {
      await writeFile(lockPath(root, 1), '{"owner":{"pod');
      const acquired = await acquire(root, await currentProcessIdentity(null));
      assert.equal(acquired?.ground, 'unrefreshed');
      await acquired.lock.release();
    });
  });

  void test('a number that was used is never used again, released or not', async () => {
    await inFolder(async (root) => {
      const self = await currentProcessIdentity(null);
      for (const epoch of [1, 2, 3]) {
        const acquired = await acquire(root, self);
        assert.equal(acquired?.lock.epoch, epoch);
        await acquired.lock.release();
      }
    });
  });

  void test('a folder that cannot be written is told, not waited for', async () => {
    const self = await currentProcessIdentity(null);
    await assert.rejects(acquire('/proc/self/ql3-no-such-folder', self), { code: 'WORKER_LOCK_UNAVAILABLE' });
  });
});
