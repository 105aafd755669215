import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { v7 as sessionUuid } from 'uuid';
import { loadControlConfiguration } from '../configuration/load-configuration.ts';
import { openControlDatabase } from '../database/open-control-database.ts';
import { createEventLog } from '../events/event-log.ts';
import { IngressFixture } from '../../testing/ingress-fixture.ts';
import { registerCall } from '../../testing/session-calls.ts';
import { CONTROL_LIMITS, type ControlLimits } from './control-limits.ts';
import { type RunningControl, startControl } from './running-control.ts';

/** The same ingress inside of the test's process, because only there its limits can be made small. */
describe('limits of the ingress', () => {
  let fixture: IngressFixture;
  before(async () => {
    fixture = await IngressFixture.create();
  });
  after(() => fixture[Symbol.asyncDispose]());

  async function start(limits: Partial<ControlLimits>): Promise<{ control: RunningControl; lines: string[] }> {
    const { settings, material, pepper, database } = await loadControlConfiguration(fixture.environment);
    const lines: string[] = [];
    const listening = Promise.withResolvers<void>();
    const log = createEventLog((line) => {
      lines.push(line);
      if (line.includes('"event":"listening"')) listening.resolve();
    });
    const control = await startControl({ settings, material, pepper, database: openControlDatabase(database), limits: { ...CONTROL_LIMITS, ...limits }, log });
    await listening.promise;
    return { control, lines };
  }

  async function admittedRequest(client: ReturnType<IngressFixture['client']>, name: string) {
    const issued = await fixture.issue({ credentialId: name, workerId: `worker-${name}` });
    const request = client.open({ ...registerCall(issued, sessionUuid()), headers: { expect: '100-continue', 'content-length': '100' } });
    request.on('error', () => undefined).flushHeaders();
    await once(request, 'continue');
    return { request, issued };
  }

  it('end a request whose body does not come with 504, and audit it as failed', async () => {
    const { control } = await start({ requestTimeoutMs: 2_000 });
    using client = fixture.client(control.ingressPort);
    const { request, issued } = await admittedRequest(client, 'slow');
    const [response] = await once(request, 'response');
    const body = (await response.toArray()).join('');
    assert.deepEqual([response.statusCode, body, response.headers.connection], [504, '{"code":"request_timeout"}', 'close']);
    await control.stop(); // the work behind the answer has ended, and its audit with it
    const rows = await fixture.rows('SELECT outcome, reason_code FROM ql3.security_audit_events WHERE subject_id = $1 ORDER BY occurred_at_ms', [issued.workerId]);
    assert.deepEqual(rows.map((row) => Object.values(row)), [['allowed', null], ['failed', 'body_not_received_in_time']]);
  });

  it('refuse with 503 what exceeds the capacity, and admit again when there is room', async () => {
    const { control } = await start({ inFlight: 1 });
    using client = fixture.client(control.ingressPort);
    const { request, issued } = await admittedRequest(client, 'full');
    const call = registerCall(issued, sessionUuid());
    const refused = await client.call(call);
    assert.deepEqual([refused.status, refused.body, refused.headers['retry-after']], [503, { code: 'admission_capacity_exhausted' }, '1']);
    const response = once(request, 'response');
    request.end(' '.repeat(100));
    const [answer] = await response;
    assert.equal(answer.statusCode, 400);
    answer.resume();
    await once(answer, 'end');
    assert.equal((await client.call(call)).status, 200);
    await control.stop();
  });

  it('abandon what has not ended when the drain is over', async () => {
    const { control, lines } = await start({ drainTimeoutMs: 50 });
    using client = fixture.client(control.ingressPort);
    const { request } = await admittedRequest(client, 'stuck');
    const closed = new Promise((resolve) => request.once('close', resolve));
    await control.stop();
    await closed;
    assert.match(lines.at(-1) ?? '', /"level":"warn","event":"stopped".*"abandonedRequests":1/u);
  });
});
