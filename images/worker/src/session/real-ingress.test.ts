import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ControlService } from '../../../cluster-control/testing/control-service.ts';
import { IngressFixture, LOOPBACK } from '../../../cluster-control/testing/ingress-fixture.ts';
import { WORKER_ID } from '../../testing/ingress-double.ts';
import { WorkerFixture } from '../../testing/worker-fixture.ts';

void test('against the real ingress on PostgreSQL: a restart of the Control, a new token and identity, kill -9, and a drain', async () => {
  await using cluster = await IngressFixture.create();
  await using fixture = await WorkerFixture.create();
  const first = await cluster.issue({ credentialId: 'credential_one', workerId: WORKER_ID });
  await fixture.write('ca.crt', cluster.trust.authority.certificatePem);
  await fixture.write('credential-token', first.token);
  await fixture.writeIdentity(cluster.identity);
  const { control, ingressPort } = await cluster.start();
  await using _control = control;
  await using service = await ControlService.listen(LOOPBACK, ingressPort);
  const origin = { QL3_WORKER_CONTROL_ORIGIN: `https://${LOOPBACK}:${service.port}`, QL3_WORKER_SESSION_LEASE_DURATION_MS: '120000' };

  const worker = fixture.start(origin);
  const { sessionId } = await worker.event('registered', { generation: 1, version: 0 });
  await worker.event('active');

  control.signal('SIGKILL');
  await control.exited;
  await worker.event('heartbeat_failed', { status: null });
  const second = await cluster.issue({ credentialId: 'credential_two', workerId: WORKER_ID });
  await fixture.write('credential-token', second.token);
  await fixture.writeIdentity(await cluster.trust.issueClient('worker again'));
  const restarted = await cluster.start();
  await using _restarted = restarted.control;
  service.targetPort = restarted.ingressPort;
  await worker.event('runtime_diagnostic', { code: 'heartbeat_recovered' });

  worker.kill('SIGKILL');
  await worker.exit;
  const successor = fixture.start(origin);
  assert.deepEqual((await successor.event('reconciled'))['abandonedSessionIds'], [sessionId]);
  await successor.event('registered', { generation: 2, replacedSessionId: sessionId });
  await successor.event('active');
  successor.kill('SIGTERM');
  const stopped = await successor.event('stopped', { offlineConfirmed: true });
  assert.equal(await successor.exitCode(), 0);

  const history = await cluster.rows('SELECT session_id, generation, status, reason, client_certificate_sha256 AS fingerprint FROM ql3.worker_session_history WHERE worker_id = $1 ORDER BY version', [WORKER_ID]);
  const changes = history.filter((row) => row['reason'] !== 'heartbeat');
  assert.deepEqual(changes.filter((row) => row['session_id'] === stopped['sessionId']).map((row) => row['status']), ['online', 'draining', 'offline']);
  const before = history.filter((row) => row['session_id'] === sessionId);
  assert.deepEqual([before.at(0)?.['reason'], before.at(-1)?.['reason']], ['registered', 'heartbeat']);
  assert.notEqual(before.at(0)?.['fingerprint'], before.at(-1)?.['fingerprint'], 'the heartbeat came with the new identity');
  const observed = await cluster.rows("SELECT credential_id FROM ql3.worker_credential_deliveries WHERE state = 'observed'");
  // of the first credential there is only what it had time for before the Control was killed
  assert.ok(observed.some((row) => row['credential_id'] === 'credential_two'), JSON.stringify(observed));
});
