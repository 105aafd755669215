import assert from 'node:assert/strict';
import { randomUUID, X509Certificate } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { v7 as sessionUuid } from 'uuid';
import { parseHeartbeatResponse, parseRegisterResponse, parseTransitionResponse } from '../../../core/session-wire.ts';
import { createCredentialToken } from '../../../core/credential-token.ts';
import type { ControlProcess } from '../../testing/control-process.ts';
import type { IngressCall, IngressClient, IngressReply } from '../../testing/ingress-client.ts';
import { IngressFixture } from '../../testing/ingress-fixture.ts';
import { type IssuedCredential, publishDelivery, revokeCredential } from '../../testing/issued-credential.ts';
import { lapseLease } from '../../testing/lapsed-lease.ts';
import { heartbeatCall, registerCall, transitionCall } from '../../testing/session-calls.ts';

const HOUR_MS = 3_600_000;

describe('the worker ingress, over mutual TLS and on PostgreSQL', () => {
  let fixture: IngressFixture;
  let control: ControlProcess;
  let client: IngressClient;
  let ingressPort: number;
  before(async () => {
    fixture = await IngressFixture.create();
    ({ control, ingressPort } = await fixture.start());
    client = fixture.client(ingressPort, fixture.identity, true);
  });
  after(async () => {
    client[Symbol.dispose]();
    await control[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  let workers = 0;
  async function newWorker(options: { delivery?: 1 | 2; notBeforeAtMs?: number; expiresAtMs?: number } = {}): Promise<IssuedCredential> {
    workers += 1;
    return await fixture.issue({ credentialId: `credential_${workers}`, workerId: `worker-${workers}`, ...options });
  }

  async function online(): Promise<{ issued: IssuedCredential; sessionId: string }> {
    const issued = await newWorker();
    const sessionId = sessionUuid();
    await expectOk(registerCall(issued, sessionId));
    return { issued, sessionId };
  }

  async function expectOk(call: IngressCall): Promise<IngressReply> {
    const reply = await client.call(call);
    assert.deepEqual([reply.status, reply.body['code']], [200, undefined]);
    return reply;
  }

  async function expectRefusal(call: IngressCall, status: number, code: string): Promise<IngressReply> {
    const reply = await client.call(call);
    assert.deepEqual([reply.status, reply.body], [status, { code }]);
    return reply;
  }

  async function audits(sessionId: string): Promise<unknown[][]> {
    const rows = await fixture.rows(
      'SELECT action, outcome, subject_id, authentication_id, reason_code FROM ql3.security_audit_events WHERE resource_id = $1 ORDER BY occurred_at_ms, outcome',
      [sessionId],
    );
    return rows.map((row) => Object.values(row));
  }

  describe('a session', () => {
    it('lives from registration through heartbeat and draining to offline, with every change in the history', async () => {
      const { issued, sessionId } = await online();
      const beaten = parseHeartbeatResponse(JSON.stringify((await expectOk(heartbeatCall(issued, sessionId, 0))).body));
      assert.deepEqual([beaten.version, beaten.status], [1, 'online']);
      const draining = parseTransitionResponse(JSON.stringify((await expectOk(transitionCall(issued, sessionId, 1))).body));
      assert.deepEqual([draining.version, draining.status], [2, 'draining']);
      assert.equal((await expectOk(heartbeatCall(issued, sessionId, 2))).body['status'], 'draining');
      const offline = parseTransitionResponse(JSON.stringify((await expectOk(transitionCall(issued, sessionId, 3, { status: 'offline' }))).body));
      assert.deepEqual([offline.version, offline.status], [4, 'offline']);

      const certificate = new X509Certificate(fixture.identity.certificatePem);
      const presented = [certificate.fingerprint256.replaceAll(':', '').toLowerCase(), certificate.serialNumber.toLowerCase()];
      const history = await fixture.rows(
        `SELECT version, status, reason, available_slots, client_certificate_sha256, client_certificate_serial
         FROM ql3.worker_session_history WHERE session_id = $1 ORDER BY version`,
        [sessionId],
      );
      assert.deepEqual(history.map((row) => Object.values(row)), [
        [0, 'online', 'registered', 4, ...presented],
        [1, 'online', 'heartbeat', 3, ...presented],
        [2, 'draining', 'draining', 0, ...presented],
        [3, 'draining', 'heartbeat', 0, ...presented],
        [4, 'offline', 'offline', 0, ...presented],
      ]);
    });

    it('gets its lease from the database, and offline ends it', async () => {
      const { issued, sessionId } = await online();
      const [clock] = await fixture.rows('SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS before');
      const reply = await expectOk(heartbeatCall(issued, sessionId, 0, { leaseDurationMs: 600_000 }));
      const [row] = await fixture.rows('SELECT lease_expires_at_ms - last_heartbeat_at_ms AS lease, last_heartbeat_at_ms AS at, lease_expires_at_ms AS until FROM ql3.worker_sessions WHERE session_id = $1', [sessionId]);
      assert.equal(row?.['lease'], 600_000);
      assert.ok(Number(row?.['at']) >= Number(clock?.['before']));
      assert.equal(reply.body['leaseExpiresAtMs'], row?.['until']);
      const offline = await expectOk(transitionCall(issued, sessionId, 1, { status: 'offline' }));
      const [ended] = await fixture.rows('SELECT lease_expires_at_ms, offline_at_ms FROM ql3.worker_sessions WHERE session_id = $1', [sessionId]);
      assert.equal(ended?.['lease_expires_at_ms'], ended?.['offline_at_ms']);
      assert.equal(offline.body['leaseExpiresAtMs'], ended?.['offline_at_ms']);
    });

    it('replaces the one before with the next generation, which never comes back', async () => {
      const { issued, sessionId } = await online();
      await expectOk(heartbeatCall(issued, sessionId, 0));
      const next = sessionUuid();
      const replaced = { sessionId, generation: 1, version: 1, status: 'online' };
      const opened = parseRegisterResponse(JSON.stringify((await expectOk(registerCall(issued, next))).body));
      assert.deepEqual([opened.generation, opened.version, opened.replacedSession], [2, 2, replaced]);
      await expectRefusal(heartbeatCall(issued, sessionId, 1), 409, 'worker_session_fenced');
      await expectRefusal(registerCall(issued, sessionId), 409, 'worker_session_fenced');
      assert.equal((await expectOk(heartbeatCall(issued, next, 2, { generation: 2 }))).body['version'], 3);
    });

    it('may be registered again without change while it lives', async () => {
      const { issued, sessionId } = await online();
      const next = sessionUuid();
      const first = await expectOk(registerCall(issued, next));
      assert.deepEqual((await expectOk(registerCall(issued, next))).body, first.body);
      await expectRefusal(registerCall(issued, next, { maxConcurrentRuns: 5 }), 409, 'worker_session_fenced');
      await fixture.onOneConnection((connection) => lapseLease(connection, issued.workerId));
      await expectRefusal(registerCall(issued, next), 409, 'worker_session_fenced');
      assert.equal((first.body['replacedSession'] as Record<string, unknown>)['sessionId'], sessionId);
    });

    it('of another Worker cannot be taken', async () => {
      const { sessionId } = await online();
      await expectRefusal(registerCall(await newWorker(), sessionId), 409, 'worker_session_fenced');
    });

    it('is decided by one of several who ask at the same time', async () => {
      const issued = await newWorker();
      using crowd = fixture.client(ingressPort);
      const sessions = [sessionUuid(), sessionUuid(), sessionUuid()];
      const registered = await Promise.all(sessions.map((sessionId) => crowd.call(registerCall(issued, sessionId))));
      assert.deepEqual(new Set(registered.map(({ body }) => body['generation'] ?? body)), new Set([1, 2, 3]));
      const winner = registered.find(({ body }) => body['generation'] === 3)?.body;
      const beats = await Promise.all(Array.from({ length: 4 }, () => crowd.call(heartbeatCall(issued, String(winner?.['sessionId']), 2, { generation: 3 }))));
      assert.deepEqual(beats.map(({ status }) => status).toSorted((left, right) => left - right), [200, 409, 409, 409]);
    });
  });

  describe('fencing', () => {
    type Situation = { issued: IssuedCredential; sessionId: string };
    const cases: Record<string, { reason: string; prepare?: (situation: Situation) => Promise<unknown>; heartbeat: (situation: Situation) => IngressCall }> = {
      'a Worker that never registered': { reason: 'session_missing', heartbeat: ({ issued, sessionId }) => ({ ...heartbeatCall(issued, sessionId, 0) }) },
      'another session than the current one': { reason: 'session_replaced', heartbeat: ({ issued }) => heartbeatCall(issued, sessionUuid(), 0) },
      'another generation': { reason: 'session_generation_mismatch', heartbeat: ({ issued, sessionId }) => heartbeatCall(issued, sessionId, 0, { generation: 2 }) },
      'a version that is ahead': { reason: 'session_version_mismatch', heartbeat: ({ issued, sessionId }) => heartbeatCall(issued, sessionId, 1) },
      'a version that has passed': {
        reason: 'session_version_mismatch',
        prepare: ({ issued, sessionId }) => expectOk(heartbeatCall(issued, sessionId, 0)),
        heartbeat: ({ issued, sessionId }) => heartbeatCall(issued, sessionId, 0),
      },
      'a session that is offline': {
        reason: 'session_offline',
        prepare: ({ issued, sessionId }) => expectOk(transitionCall(issued, sessionId, 0, { status: 'offline' })),
        heartbeat: ({ issued, sessionId }) => heartbeatCall(issued, sessionId, 1),
      },
      'a lease that has run out by the database clock': {
        reason: 'session_lease_expired',
        prepare: ({ issued }) => fixture.onOneConnection((connection) => lapseLease(connection, issued.workerId)),
        heartbeat: ({ issued, sessionId }) => heartbeatCall(issued, sessionId, 0),
      },
    };
    for (const [name, { reason, prepare, heartbeat }] of Object.entries(cases)) {
      it(`stops heartbeat and transition of ${name}, and audits why`, async () => {
        const situation = reason === 'session_missing' ? { issued: await newWorker(), sessionId: sessionUuid() } : await online();
        await prepare?.(situation);
        const beat = heartbeat(situation);
        const { generation, expectedVersion } = beat.body as { generation: number; expectedVersion: number };
        const { issued } = situation;
        await expectRefusal(beat, 409, 'worker_session_fenced');
        await expectRefusal(transitionCall(issued, beat.sessionId, expectedVersion, { generation, status: 'offline' }), 409, 'worker_session_fenced');
        const rows = (await audits(beat.sessionId)).slice(-4).filter(([, outcome]) => outcome === 'failed');
        const subject = [issued.workerId, issued.credentialId, reason];
        assert.deepEqual(rows, [['worker_session.heartbeat', 'failed', ...subject], ['worker_session.transition', 'failed', ...subject]]);
        const [row] = await fixture.rows('SELECT count(*) AS count FROM ql3.worker_session_history WHERE session_id = $1 AND version > $2', [beat.sessionId, expectedVersion]);
        assert.ok(Number(row?.['count']) <= 1, 'nothing was appended');
      });
    }

    it('stops a second draining', async () => {
      const { issued, sessionId } = await online();
      await expectOk(transitionCall(issued, sessionId, 0));
      await expectRefusal(transitionCall(issued, sessionId, 1), 409, 'worker_session_fenced');
    });
  });

  describe('authentication', () => {
    const cases: Record<string, { reason: string; change: (issued: IssuedCredential, call: IngressCall) => Promise<IngressCall> | IngressCall; options?: { notBeforeAtMs?: number; expiresAtMs?: number } }> = {
      'no bearer': { reason: 'bearer_missing_or_malformed', change: (_, call) => ({ ...call, token: null }) },
      'another scheme': { reason: 'bearer_missing_or_malformed', change: (issued, call) => ({ ...call, token: null, headers: { authorization: `Bearer ${issued.token}` } }) },
      'a malformed token': { reason: 'bearer_missing_or_malformed', change: (issued, call) => ({ ...call, token: issued.token.slice(0, -1) }) },
      'an unknown credential': { reason: 'credential_unknown', change: (_, call) => ({ ...call, token: createCredentialToken('unknown').toString() }) },
      'another secret': { reason: 'secret_mismatch', change: (issued, call) => ({ ...call, token: createCredentialToken(issued.credentialId).toString() }) },
      'a revoked credential': {
        reason: 'credential_not_active',
        change: async (issued, call) => {
          await fixture.onOneConnection((connection) => revokeCredential(connection, issued));
          return call;
        },
      },
      'an expired credential': { reason: 'credential_expired', change: (_, call) => call, options: { notBeforeAtMs: Date.now() - 2 * HOUR_MS, expiresAtMs: Date.now() - 1 } },
      'a credential before its time': { reason: 'credential_not_yet_valid', change: (_, call) => call, options: { notBeforeAtMs: Date.now() + HOUR_MS, expiresAtMs: Date.now() + 2 * HOUR_MS } },
      'the path of another Worker': { reason: 'credential_of_another_worker', change: (_, call) => ({ ...call, workerId: 'worker-of-somebody-else' }) },
    };
    for (const [name, { reason, change, options }] of Object.entries(cases)) {
      it(`refuses ${name} with the same answer, and records why`, async () => {
        const issued = await newWorker(options);
        const sessionId = sessionUuid();
        const reply = await expectRefusal(await change(issued, registerCall(issued, sessionId)), 401, 'worker_authentication_required');
        assert.equal(reply.headers['www-authenticate'], 'Worker');
        assert.deepEqual(await audits(sessionId), [['worker_session.register', 'denied', null, null, reason]]);
      });
    }

    it('comes before the body, and after the route', async () => {
      const issued = await newWorker();
      const nonsense = { ...registerCall(issued, sessionUuid()), token: null, body: 'no json', headers: { 'content-type': 'text/plain' } };
      await expectRefusal(nonsense, 401, 'worker_authentication_required');
      await expectRefusal({ ...nonsense, path: '/api/v3/worker-ingress' }, 404, 'worker_route_not_found');
      await expectRefusal({ ...registerCall(issued, sessionUuid()), method: 'PUT' }, 404, 'worker_route_not_found');
      await expectRefusal({ ...registerCall(issued, randomUUID()) }, 404, 'worker_route_not_found');
    });
  });

  describe('a body', () => {
    it('that is too large is refused, however it is sent', async () => {
      const issued = await newWorker();
      const register = registerCall(issued, sessionUuid());
      for (const size of [20 * 1024 + 1, 64 * 1024 + 1, 512 * 1024]) {
        await expectRefusal({ ...register, body: ' '.repeat(size) }, 413, 'worker_request_too_large');
        await expectRefusal({ ...register, body: ' '.repeat(size), headers: { 'transfer-encoding': 'chunked' } }, 413, 'worker_request_too_large');
      }
      await expectRefusal({ ...heartbeatCall(issued, sessionUuid(), 0), body: ' '.repeat(4097) }, 413, 'worker_request_too_large');
      await expectOk(register);
    });

    it('that is not plain JSON is refused', async () => {
      const register = registerCall(await newWorker(), sessionUuid());
      const others: Record<string, string>[] = [{ 'content-type': 'text/plain' }, { 'content-type': 'application/json; charset=latin1' }, { 'content-encoding': 'gzip' }];
      for (const headers of others) {
        await expectRefusal({ ...register, headers }, 415, 'worker_media_type_unsupported');
      }
      await expectOk({ ...register, headers: { 'content-type': 'application/json; charset=utf-8' } });
    });

    it('of any other shape is refused, and audited as a failed change', async () => {
      const issued = await newWorker();
      const sessionId = sessionUuid();
      const register = registerCall(issued, sessionId);
      const bodies: unknown[] = [
        '', '{', '[]', 'null', Buffer.from([0x7b, 0xff, 0x7d]), '{"__proto__":{}}',
        { ...(register.body as object), extra: true },
        { ...(register.body as object), schema: 'qinglong/worker-session-register@v2' },
        { ...(register.body as object), capabilitiesHash: '0'.repeat(64) },
        { ...(register.body as object), availableSlots: 5 },
        { ...(register.body as object), leaseDurationMs: 4_999 },
        { ...(register.body as object), leaseDurationMs: 600_001 },
        { ...(register.body as object), leaseDurationMs: '60000' },
      ];
      for (const body of bodies) await expectRefusal({ ...register, body }, 400, 'invalid_worker_request');
      const failed = (await audits(sessionId)).filter(([, outcome]) => outcome === 'failed');
      assert.equal(failed.length, bodies.length);
      assert.deepEqual(new Set(failed.map(([, , , , reason]) => reason)), new Set(['body_malformed']));
    });

    it('with more slots than the session has is refused', async () => {
      const { issued, sessionId } = await online();
      await expectRefusal(heartbeatCall(issued, sessionId, 0, { availableSlots: 5 }), 400, 'invalid_worker_request');
    });
  });

  describe('the delivery of the credential', () => {
    async function ledger(issued: IssuedCredential): Promise<unknown[][]> {
      const rows = await fixture.rows('SELECT version, state, observed_session_id, observed_session_version FROM ql3.worker_credential_deliveries WHERE delivery_id = $1 ORDER BY version', [issued.deliveryId]);
      return rows.map((row) => Object.values(row));
    }

    it('is observed by the first change, once, in its transaction', async () => {
      const { issued, sessionId } = await online();
      assert.equal((await ledger(issued)).length, 2, 'registration observes nothing');
      await expectOk(heartbeatCall(issued, sessionId, 0));
      assert.deepEqual((await ledger(issued)).at(-1), [3, 'observed', sessionId, 1]);
      await expectOk(heartbeatCall(issued, sessionId, 1));
      assert.equal((await ledger(issued)).length, 3);
    });

    it('may be observed by a transition', async () => {
      const { issued, sessionId } = await online();
      await expectOk(transitionCall(issued, sessionId, 0, { status: 'offline' }));
      assert.deepEqual((await ledger(issued)).at(-1), [3, 'observed', sessionId, 1]);
    });

    it('fails the change while it is not published, and nothing of the change remains', async () => {
      const issued = await newWorker({ delivery: 1 });
      const sessionId = sessionUuid();
      await expectOk(registerCall(issued, sessionId));
      const reply = await expectRefusal(heartbeatCall(issued, sessionId, 0), 503, 'worker_ingress_unavailable');
      assert.equal(reply.headers['retry-after'], '1');
      assert.deepEqual((await audits(sessionId)).at(-1), ['worker_session.heartbeat', 'failed', issued.workerId, issued.credentialId, 'credential_delivery_not_published']);
      const history = await fixture.rows('SELECT version FROM ql3.worker_session_history WHERE session_id = $1', [sessionId]);
      assert.equal(history.length, 1);
      await fixture.onOneConnection((connection) => publishDelivery(connection, issued));
      await expectOk(heartbeatCall(issued, sessionId, 0));
      assert.deepEqual((await ledger(issued)).at(-1), [3, 'observed', sessionId, 1]);
    });
  });

  it('admits nothing that it cannot audit', async () => {
    const { issued, sessionId } = await online();
    await fixture.superuser.query('REVOKE INSERT ON ql3.security_audit_events FROM ql3_worker_ingress');
    const reply = await expectRefusal(heartbeatCall(issued, sessionId, 0), 503, 'worker_audit_unavailable');
    assert.equal(reply.headers['retry-after'], '1');
    await fixture.superuser.query('GRANT INSERT ON ql3.security_audit_events TO ql3_worker_ingress');
    await expectOk(heartbeatCall(issued, sessionId, 0));
  });

  it('answers 503 when the database cannot decide in time, and keeps the session as it was', async () => {
    const { issued, sessionId } = await online();
    await fixture.onOneConnection(async (connection) => {
      await connection.query('BEGIN');
      await connection.query('SELECT 1 FROM ql3.worker_sessions WHERE worker_id = $1 FOR UPDATE', [issued.workerId]);
      await expectRefusal(heartbeatCall(issued, sessionId, 0), 503, 'worker_ingress_unavailable');
      await connection.query('ROLLBACK');
    });
    assert.deepEqual((await audits(sessionId)).at(-1)?.at(-1), 'database_contention');
    await expectOk(heartbeatCall(issued, sessionId, 0));
  });

  it('refuses a peer after 120 failures in a minute, and does not count what it admitted', async () => {
    const own = await fixture.start();
    using crowd = fixture.client(own.ingressPort, fixture.identity, true);
    const issued = await newWorker();
    const register = registerCall(issued, sessionUuid());
    const failing = { ...register, path: '/nowhere' };
    const startedAt = performance.now();
    for (let count = 0; count < 5; count += 1) assert.equal((await crowd.call(register)).status, 200);
    let failures = 0;
    while (failures < 1_200 && (await crowd.call(failing)).status === 404) failures += 1;
    // on a machine that cannot make as many in a minute the count begins anew with the next one
    assert.ok(failures === 120 || (failures > 120 && performance.now() - startedAt > 60_000), `refused after ${failures} failures`);
    const reply = await crowd.call(register);
    assert.deepEqual([reply.status, reply.body], [429, { code: 'authentication_rate_limited' }]);
    assert.ok(Number(reply.headers['retry-after']) >= 1 && Number(reply.headers['retry-after']) <= 60);
    await own.control[Symbol.asyncDispose]();
  });

  it('writes one line for each request, with the certificate it came with, and no secret anywhere', async () => {
    const { issued, sessionId } = await online();
    const line = await control.events.waitFor('worker_request', (logged) => logged['sessionId'] === sessionId);
    const { fingerprint256 } = new X509Certificate(fixture.identity.certificatePem);
    assert.deepEqual(
      [line['operation'], line['workerId'], line['credentialId'], line['status'], line['code'], line['generation'], line['version'], line['tlsProtocol'], line['clientCertificateFingerprint']],
      ['register', issued.workerId, issued.credentialId, 200, null, 1, 0, 'TLSv1.3', fingerprint256.replaceAll(':', '').toLowerCase()],
    );
    const written = JSON.stringify([control.events.events, control.failures.events, await fixture.rows('SELECT details FROM ql3.security_audit_events')]);
    assert.doesNotMatch(written, /ql3w_|BEGIN |PRIVATE/u);
    for (const secret of [fixture.pepper.toString('base64url'), fixture.database.config('ql3_worker_ingress').password]) assert.ok(!written.includes(secret));
  });
});
