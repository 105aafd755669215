import assert from 'node:assert/strict';
import { test } from 'node:test';

import { WorkerFixture } from '../../testing/worker-fixture.ts';

test('a Worker reconciles, registers, stays alive on its own heartbeat, and drains to exit 0', async () => {
  await using fixture = await WorkerFixture.create();
  const worker = fixture.start({ QL3_WORKER_POD_UID: '5d3c0a52-0000-4000-8000-000000000001' });
  await worker.event('active');
  const beat = await fixture.ingress.seen.waitFor('a heartbeat', (request) => request.step === 'heartbeat');
  assert.equal(beat.status, 200);
  worker.kill('SIGTERM');
  assert.equal(await worker.exitCode(), 0);

  const told = worker.events.all.map((line) => line.event).filter((event) => event !== 'runtime_diagnostic');
  assert.deepEqual(told, ['starting', 'reconciled', 'registered', 'active', 'shutdown_requested', 'stopped']);
  const steps = fixture.ingress.seen.all.map((request) => request.step);
  assert.deepEqual(steps.filter((step, at) => step !== steps[at - 1]), ['register', 'heartbeat', 'draining', 'offline'], 'heartbeats, as many as there was time for, between registration and drain');
  assert.equal(fixture.ingress.connectionCount, 1, 'one connection carries the whole session');
  assert.ok(fixture.ingress.seen.all.every((request) => request.protocol === 'TLSv1.3' && request.authorization === `Worker ${fixture.token}`));
  assert.equal(fixture.ingress.row?.status, 'offline');
  assert.match(fixture.ingress.row?.sessionId ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
});
