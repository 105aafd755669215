import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { test } from 'node:test';

import { createCredentialToken } from '../../../core/credential-token.ts';
import { WorkerFixture } from '../../testing/worker-fixture.ts';

void test('token and identity that are replaced while the Worker runs count from the next request on', async () => {
  await using fixture = await WorkerFixture.create();
  const worker = fixture.start();
  await worker.event('active');
  const token = createCredentialToken('its_successor').toString('latin1');
  await fixture.write('credential-token', token);
  await fixture.writeIdentity(await fixture.authority.issueClient('client b'));
  const registered = fixture.ingress.requests('register')[0];
  const beat = await fixture.ingress.seen.waitFor('a heartbeat with both', ({ step, authorization, fingerprint }) => step === 'heartbeat' && authorization === `Worker ${token}` && fingerprint !== registered?.fingerprint);
  await worker.event('runtime_diagnostic', { code: 'identity_installed', generation: 2, fingerprint: beat.fingerprint });
  assert.equal(fixture.ingress.connectionCount, 2);

  await chmod(fixture.private('credential-token'), 0o444);
  await worker.event('heartbeat_failed', { code: 'WORKER_FILE_REFUSED', status: null });
  await fixture.write('credential-token', token);
  await worker.event('runtime_diagnostic', { code: 'heartbeat_recovered' });
  worker.kill('SIGTERM');
  assert.equal(await worker.exitCode(), 0);
});
