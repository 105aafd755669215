import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
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
    const response = answerTo(request);
    request.flushHeaders();
    await once(request, 'continue');
    return { request, response, issued };
  }

  it('end a request whose body does not come with 504, and audit it as failed', async () => {
    const { control } = await start({ requestTimeoutMs: 10_000 }); // which begins before the request is admitted
    using client = fixture.client(control.ingressPort);
    const { response, issued } = await admittedRequest(client, 'slow');
    const answer = await response;
    const body = (await answer.toArray()).join('');
    assert.deepEqual([answer.statusCode, body, answer.headers.connection], [504, '{"code":"request_timeout"}', 'close']);
    await control.stop(); // the work behind the answer has ended, and its audit with it
    const rows = await fixture.rows('SELECT outcome, reason_code FROM ql3.security_audit_events WHERE subject_id = $1 ORDER BY occurred_at_ms', [issued.workerId]);
    assert.deepEqual(rows.map((row) => Object.values(row)), [['allowed', null], ['failed', 'body_not_received_in_time']]);
  });

  it('refuse with 503 what exceeds the capacity, and admit again when there is room', async () => {
    const { control } = await start({ inFlight: 1 });
    using client = fixture.client(control.ingressPort);
    const { request, response, issued } = await admittedRequest(client, 'full');
    const call = registerCall(issued, sessionUuid());
    const refused = await client.call(call);
    assert.deepEqual([refused.status, refused.body, refused.headers['retry-after']], [503, { code: 'admission_capacity_exhausted' }, '1']);
    request.end(' '.repeat(100));
    const answer = await response;
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

/** Waited for from the first, because it may come together with the leave to send the body. */
function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  promise.catch(() => undefined); // not everybody waits for it
  request.once('response', resolve).on('error', reject);
  return promise;
}
