import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { WorkerFixture } from '../../testing/worker-fixture.ts';

const UNAVAILABLE = { status: 503, body: '{"code":"worker_ingress_unavailable"}' } as const;

void suite('drain', { concurrency: 3 }, () => {
  void test('a denied transition is deferred, twice, and a second SIGTERM does not cut it short', async () => {
    await using fixture = await WorkerFixture.create();
    fixture.ingress.script('draining', { status: 401 }, UNAVAILABLE);
    // so that the second signal comes during the drain, however late it comes
    fixture.ingress.always('offline', UNAVAILABLE);
    const worker = fixture.start();
    await worker.event('active');
    worker.kill('SIGTERM');
    await worker.event('shutdown_deferred', { phase: 'draining', attempt: 1, status: 401 });
    worker.kill('SIGTERM');
    await worker.event('shutdown_deferred', { phase: 'draining', attempt: 2, status: 503 });
    await worker.event('runtime_diagnostic', { code: 'signal_repeated', count: 2 });
    fixture.ingress.always('offline', null);
    await worker.event('stopped', { offlineConfirmed: true });
    assert.equal(await worker.exitCode(), 0);
    assert.equal(worker.events.all.filter((line) => line.event === 'shutdown_requested').length, 1);
    assert.equal(fixture.ingress.row?.status, 'offline');
  });

  void test('the answer to draining is lost: the drain goes on where it is', async () => {
    await using fixture = await WorkerFixture.create();
    fixture.ingress.script('draining', 'lost');
    const worker = fixture.start();
    await worker.event('active');
    worker.kill('SIGTERM');
    assert.equal(await worker.exitCode(), 0);
    assert.equal(fixture.ingress.row?.status, 'offline');
  });

  void test('the answer to offline is lost: exit 0, and it says that the Control did not confirm', async () => {
    await using fixture = await WorkerFixture.create();
    const worker = fixture.start();
    await worker.event('active');
    fixture.ingress.script('offline', 'lost');
    worker.kill('SIGTERM');
    await worker.event('stopped', { offlineConfirmed: false });
    assert.equal(await worker.exitCode(), 0);
  });

  void test('a fence in the middle of a drain: the session is not ours to hand back, exit 1', async () => {
    await using fixture = await WorkerFixture.create();
    const worker = fixture.start();
    await worker.event('active');
    fixture.ingress.always('offline', { status: 409 });
    worker.kill('SIGTERM');
    await worker.event('process_failed', { code: 'WORKER_SESSION_FENCED' });
    assert.equal(await worker.exitCode(), 1);
  });

  void test('a Control that is away while the Worker drains: heartbeats keep the lease, and it ends when the Control is back', async () => {
    await using fixture = await WorkerFixture.create();
    const worker = fixture.start();
    await worker.event('active');
    fixture.ingress.always('offline', UNAVAILABLE);
    worker.kill('SIGTERM');
    await fixture.ingress.seen.waitFor('a heartbeat that offers nothing', (request) => request.step === 'heartbeat' && request.status === 200 && request.body['availableSlots'] === 0);
    fixture.ingress.always('offline', null);
    assert.equal(await worker.exitCode(), 0);
  });

  void test('kill -9 between draining and offline: the successor closes the session and registers its own', async () => {
    await using fixture = await WorkerFixture.create();
    const worker = fixture.start();
    const { sessionId } = await worker.event('registered');
    await worker.event('active');
    fixture.ingress.always('offline', 'hang');
    worker.kill('SIGTERM');
    await fixture.ingress.seen.waitFor('a transition that hangs', (request) => request.step === 'offline');
    worker.kill('SIGKILL');
    await worker.exit;

    const successor = fixture.start();
    const reconciled = await successor.event('reconciled');
    assert.deepEqual(reconciled['abandonedSessionIds'], [sessionId]);
    assert.equal((await successor.event('registered'))['generation'], 2);
  });
});
