import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { RunAuthority } from '../../testing/run-authority.ts';
import { WorkerFixture } from '../../testing/worker-fixture.ts';

void suite('registration', { concurrency: 3 }, () => {
  for (const status of [400, 401, 403, 409]) {
    void test(`a Control that answers ${status} ends the start with exit 1`, async () => {
      await using fixture = await WorkerFixture.create();
      fixture.ingress.always('register', { status });
      const worker = fixture.start();
      await worker.event('process_failed', { code: 'WORKER_REGISTRATION_REFUSED', status });
      assert.equal(await worker.exitCode(), 1);
      assert.equal(fixture.ingress.requests('register').length, 1);
    });
  }

  void test('a Control that is not ready, that resets, and whose answer is lost is waited for with one session id', async () => {
    await using fixture = await WorkerFixture.create();
    fixture.ingress.script('register', { status: 503, body: '{"code":"not_ready"}' }, 'reset', 'lost', 'garbage');
    const worker = fixture.start({ QL3_WORKER_HEARTBEAT_INTERVAL_MS: '300000', QL3_WORKER_SESSION_LEASE_DURATION_MS: '600000' });
    await worker.event('active');
    const ids = new Set(fixture.ingress.requests('register').map((request) => request.sessionId));
    assert.equal(ids.size, 1);
    assert.equal(fixture.ingress.row?.generation, 1);
    // minutes before the interval is over: the lease began with an earlier attempt
    await fixture.ingress.seen.waitFor('a heartbeat at once', (request) => request.step === 'heartbeat' && request.status === 200);
  });

  void test('a registration whose lease ended before its answer came is given up for a new session', async () => {
    await using fixture = await WorkerFixture.create();
    fixture.ingress.script('register', 'lost', { status: 409, body: '{"code":"worker_session_fenced"}' });
    const worker = fixture.start();
    await worker.event('active');
    const ids = new Set(fixture.ingress.requests('register').map((request) => request.sessionId));
    assert.equal(ids.size, 2);
  });

  void test('SIGTERM while the Control does not answer: stopped, exit 0', async () => {
    await using fixture = await WorkerFixture.create();
    fixture.ingress.always('register', { status: 503 });
    const worker = fixture.start();
    await worker.event('runtime_diagnostic', { code: 'registration_deferred' });
    worker.kill('SIGTERM');
    await worker.event('stopped', { sessionId: null });
    assert.equal(await worker.exitCode(), 0);
  });

  void test('a Control that proves to be another one gets neither token nor session', async () => {
    await using fixture = await WorkerFixture.create();
    await fixture.write('ca.crt', (await RunAuthority.create('another authority')).certificatePem);
    const worker = fixture.start();
    const deferred = await worker.event('runtime_diagnostic', { code: 'registration_deferred' });
    assert.match(String(deferred['reason']), /SELF_SIGNED|UNABLE_TO_|CERT_SIGNATURE_FAILURE/);
    assert.equal(fixture.ingress.seen.all.length, 0);
    await fixture.write('ca.crt', fixture.authority.certificatePem);
    await worker.event('active');
  });
});
