import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { Behaviour } from '../../testing/ingress-double.ts';
import { WorkerFixture } from '../../testing/worker-fixture.ts';

const PASSING: readonly { name: string; behaviour: Behaviour; code: string; status: number | null; blocked: boolean }[] = [
  { name: '401', behaviour: { status: 401, body: '{"code":"worker_authentication_required"}' }, code: 'worker_authentication_required', status: 401, blocked: true },
  { name: '403', behaviour: { status: 403, body: '' }, code: 'http_403', status: 403, blocked: true },
  { name: '500 with a body of a stranger', behaviour: { status: 500, body: '<html>ql3w_</html>' }, code: 'http_500', status: 500, blocked: false },
  { name: '503', behaviour: { status: 503, body: '{"code":"worker_ingress_unavailable"}' }, code: 'worker_ingress_unavailable', status: 503, blocked: false },
  { name: '429 with Retry-After', behaviour: { status: 429, body: '{"code":"authentication_rate_limited"}', headers: { 'retry-after': '2' } }, code: 'authentication_rate_limited', status: 429, blocked: false },
  { name: 'a 200 that is no answer', behaviour: 'garbage', code: 'answer_not_understood', status: 200, blocked: false },
  { name: 'an answer larger than it may be', behaviour: { status: 200, body: 'x'.repeat(200_000) }, code: 'connection_failed', status: null, blocked: false },
  { name: 'no answer', behaviour: 'hang', code: 'request_timed_out', status: null, blocked: false },
];

void suite('a heartbeat that fails is told, and the session goes on', { concurrency: 3 }, () => {
  for (const { name, behaviour, code, status, blocked } of PASSING) {
    void test(name, async () => {
      await using fixture = await WorkerFixture.create();
      fixture.ingress.script('heartbeat', behaviour);
      const worker = fixture.start(behaviour === 'hang' ? { QL3_WORKER_REQUEST_TIMEOUT_MS: '8000' } : {});
      await worker.event('heartbeat_failed', { code, status, blocked, failedInRow: 1 });
      await worker.event('runtime_diagnostic', { code: 'heartbeat_recovered', failedInRow: 1 });
      worker.kill('SIGTERM');
      assert.equal(await worker.exitCode(), 0);
      assert.equal(new Set(fixture.ingress.seen.all.map((request) => request.sessionId)).size, 1, 'the session was kept');
    });
  }

  void test('an answer that is lost on the way costs no session: the version is found again', async () => {
    await using fixture = await WorkerFixture.create();
    fixture.ingress.script('heartbeat', 'lost');
    const worker = fixture.start();
    await fixture.ingress.seen.waitFor('a heartbeat that succeeds', (request) => request.step === 'heartbeat' && request.status === 200);
    worker.kill('SIGTERM');
    assert.equal(await worker.exitCode(), 0);
    assert.equal(fixture.ingress.row?.generation, 1);
    assert.equal(fixture.ingress.row.status, 'offline');
  });
});

void suite('a session that is lost ends the process with exit 1, so that it is started anew', { concurrency: 2 }, () => {
  void test('409: fenced at once', async () => {
    await using fixture = await WorkerFixture.create();
    fixture.ingress.script('heartbeat', { status: 409, body: '{"code":"worker_session_fenced"}' });
    const worker = fixture.start();
    await worker.event('process_failed', { code: 'WORKER_SESSION_FENCED' });
    assert.equal(await worker.exitCode(), 1);

    const successor = fixture.start();
    const reconciled = await successor.event('reconciled');
    assert.equal(reconciled['sessionsAbandonedEarlier'], 1, 'the lost session was closed in the journal before the process ended');
    assert.equal(reconciled['sessionsAbandonedNow'], 0);
    assert.equal((await successor.event('registered'))['generation'], 2);
  });

  void test('no successful heartbeat for a whole lease: fails closed, although a request still hangs', async () => {
    await using fixture = await WorkerFixture.create();
    fixture.ingress.always('heartbeat', 'hang');
    const worker = fixture.start({ QL3_WORKER_SESSION_LEASE_DURATION_MS: '15000' });
    const active = await worker.event('active');
    const failed = await worker.event('process_failed', { code: 'WORKER_SESSION_LEASE_EXPIRED' });
    const elapsedMs = Date.parse(String(failed['at'])) - Date.parse(String(active['at']));
    // a machine that is busy makes it late; a Worker that takes no notice of the lease would go on for ever
    assert.ok(elapsedMs < 30_000, `ended ${elapsedMs} ms after the registration, with a lease of 15000 ms`);
    assert.equal(await worker.exitCode(), 1);
    assert.ok(worker.events.all.filter((line) => line.event === 'heartbeat_failed').length >= 2, 'a hanging request left time for another one');
  });
});
