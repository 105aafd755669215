import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { ConnectionOptions } from 'node:tls';
import { v7 as sessionUuid } from 'uuid';
import { TestAuthority, type TestIdentity } from '../../testing/certificate-authority.ts';
import { ControlProcess } from '../../testing/control-process.ts';
import { healthStatus, isServed } from '../../testing/ingress-client.ts';
import { IngressFixture, LOOPBACK } from '../../testing/ingress-fixture.ts';
import { registerCall } from '../../testing/session-calls.ts';

describe('the control process', () => {
  let fixture: IngressFixture;
  before(async () => {
    fixture = await IngressFixture.create();
  });
  after(() => fixture[Symbol.asyncDispose]());

  function presenting(port: number, identity: TestIdentity | null, options: ConnectionOptions = {}): ConnectionOptions {
    const material = identity === null ? {} : { cert: identity.certificatePem, key: identity.privateKeyPem };
    return { host: LOOPBACK, port, ca: fixture.trust.authority.certificatePem, ...material, ...options };
  }

  async function newWorker(name: string) {
    return await fixture.issue({ credentialId: name, workerId: `worker-${name}` });
  }

  it('serves verified clients over TLS 1.3 alone, and records each handshake', async () => {
    const revoked = await fixture.trust.issueClient('revoked');
    await fixture.trust.revoke(revoked);
    const stranger = await TestAuthority.create('stranger');
    const { control, ingressPort } = await fixture.start();
    await using _control = control;
    assert.equal(await isServed(presenting(ingressPort, fixture.identity)), true);
    const handshake = await control.events.waitFor('tls_handshake');
    assert.equal(handshake['protocol'], 'TLSv1.3');
    assert.equal(handshake['clientCertificateSerial'], fixture.identity.serialNumber);

    const refused: [string, ConnectionOptions][] = [
      ['ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE', presenting(ingressPort, null)],
      ['CERT_REVOKED', presenting(ingressPort, revoked)],
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', presenting(ingressPort, await stranger.issue({ commonName: 'x', usage: 'client' }))],
      ['CERT_HAS_EXPIRED', presenting(ingressPort, await fixture.trust.authority.issue({ commonName: 'x', usage: 'client', notBefore: new Date(Date.now() - 7_200_000), notAfter: new Date(Date.now() - 3_600_000) }))],
      ['INVALID_PURPOSE', presenting(ingressPort, await fixture.trust.authority.issue({ commonName: 'x', usage: 'server' }))],
      ['ERR_SSL_UNSUPPORTED_PROTOCOL', presenting(ingressPort, fixture.identity, { maxVersion: 'TLSv1.2' })],
    ];
    for (const [reason, options] of refused) {
      assert.equal(await isServed(options), false, reason);
      const event = await control.events.waitFor('tls_handshake_refused', (logged) => logged['reason'] === reason);
      assert.equal(typeof event['peerPort'], 'number');
    }
    assert.equal(control.events.named('tls_handshake').length, 1);
  });

  it('reloads trust material on SIGHUP, and keeps the old one when the new one is bad', async () => {
    await fixture.trust.revoke();
    const victim = await fixture.trust.issueClient('victim');
    const issued = await newWorker('reload');
    const { control, ingressPort } = await fixture.start();
    await using _control = control;
    using standing = fixture.client(ingressPort, victim, true);
    assert.equal((await standing.call(registerCall(issued, sessionUuid()))).headers['connection'], 'keep-alive');

    await fixture.trust.folder.write('ca.crl', 'no list');
    control.signal('SIGHUP');
    const failed = await control.events.waitFor('trust_reload_failed');
    assert.equal(failed['code'], 'QL3_CLUSTER_CONTROL_TRUST_MATERIAL_INVALID');
    assert.match(JSON.stringify(failed['problems']), /CLIENT_CRL_FILE/u);
    assert.equal(await isServed(presenting(ingressPort, victim)), true);

    await fixture.trust.revoke(victim);
    control.signal('SIGHUP');
    const reloaded = await control.events.waitFor('trust_reloaded');
    assert.equal(reloaded['revokedCertificates'], 1);
    assert.equal(await isServed(presenting(ingressPort, victim)), false);
    assert.equal(await isServed(presenting(ingressPort, fixture.identity)), true);
    // A connection from before is told to close with its next answer, so that the next request needs a handshake.
    assert.equal((await standing.call(registerCall(issued, sessionUuid()))).headers['connection'], 'close');
    await assert.rejects(standing.call(registerCall(issued, sessionUuid())));
    await fixture.trust.revoke();
  });

  it('takes a new server certificate on SIGHUP', async () => {
    const { control, ingressPort } = await fixture.start();
    await using _control = control;
    const successor = await TestAuthority.create('successor');
    const server = await successor.issue({ commonName: 'ingress', usage: 'server', addresses: [LOOPBACK] });
    await fixture.trust.folder.write('tls.crt', server.certificatePem);
    await fixture.trust.folder.write('tls.key', server.privateKeyPem);
    control.signal('SIGHUP');
    await control.events.waitFor('trust_reloaded');
    assert.equal(await isServed(presenting(ingressPort, fixture.identity)), false);
    assert.equal(await isServed(presenting(ingressPort, fixture.identity, { ca: successor.certificatePem })), true);
    const former = await fixture.trust.authority.issue({ commonName: 'ingress', usage: 'server', addresses: [LOOPBACK] });
    await fixture.trust.folder.write('tls.crt', former.certificatePem);
    await fixture.trust.folder.write('tls.key', former.privateKeyPem);
  });

  it('drains on SIGTERM: finishes what it admitted, is not ready meanwhile, accepts nothing new, exits 0', async () => {
    const issued = await newWorker('drain');
    const { control, ingressPort, healthPort } = await fixture.start();
    await using _control = control;
    assert.equal(await healthStatus(LOOPBACK, healthPort, '/readyz'), 200);
    using client = fixture.client(ingressPort);
    const call = registerCall(issued, sessionUuid());
    const text = JSON.stringify(call.body);
    const request = client.open({ ...call, headers: { expect: '100-continue', 'content-length': String(text.length) } });
    const answered = once(request, 'response');
    request.flushHeaders();
    await once(request, 'continue'); // the request was admitted, and its body is awaited
    control.signal('SIGTERM');
    await control.events.waitFor('draining', (logged) => logged['inFlight'] === 1);
    assert.equal(await healthStatus(LOOPBACK, healthPort, '/readyz'), 503);
    assert.equal(await healthStatus(LOOPBACK, healthPort, '/livez'), 200);
    assert.equal(await isServed(presenting(ingressPort, fixture.identity)), false);
    request.end(text);
    const [response] = await answered;
    assert.deepEqual([response.statusCode, response.headers.connection], [200, 'close']);
    response.resume();
    assert.deepEqual(await control.exited, { code: 0, signal: null });
    assert.equal(control.events.events.at(-1)?.event, 'stopped');
    assert.equal(control.events.events.at(-1)?.['abandonedRequests'], 0);
  });

  it('stops at once when asked twice', async () => {
    const issued = await newWorker('hurry');
    const { control, ingressPort } = await fixture.start();
    await using _control = control;
    using client = fixture.client(ingressPort);
    const call = registerCall(issued, sessionUuid());
    const request = client.open({ ...call, headers: { expect: '100-continue', 'content-length': '100' } });
    const broken = new Promise((resolve) => request.once('close', resolve));
    request.on('error', () => undefined).flushHeaders();
    await once(request, 'continue');
    control.signal('SIGTERM');
    await control.events.waitFor('draining');
    control.signal('SIGINT');
    assert.deepEqual(await control.exited, { code: 0, signal: null });
    assert.equal(control.events.events.at(-1)?.['abandonedRequests'], 1);
    await broken;
  });

  it('is not ready while PostgreSQL is away, and ready again when it is back', async () => {
    const issued = await newWorker('away');
    const { control, ingressPort, healthPort } = await fixture.start();
    await using _control = control;
    using client = fixture.client(ingressPort);
    const call = registerCall(issued, sessionUuid());
    assert.equal((await client.call(call)).status, 200);

    const before = control.events.events.length;
    await fixture.database.server.interrupt('shutdown');
    // a check that was at work before then may still find the database ready
    const away = await control.events.waitFor('database_not_ready', undefined, before);
    assert.equal(await healthStatus(LOOPBACK, healthPort, '/readyz'), 503);
    assert.equal(await healthStatus(LOOPBACK, healthPort, '/livez'), 200);
    assert.equal(away['code'], 'QL3_CLUSTER_CONTROL_DATABASE_NOT_READY');
    const refused = await client.call(call);
    assert.deepEqual([refused.status, refused.body, refused.headers['retry-after']], [503, { code: 'not_ready' }, '1']);

    await fixture.database.server.resume();
    await control.events.waitFor('database_ready', undefined, before);
    assert.equal(await healthStatus(LOOPBACK, healthPort, '/readyz'), 200);
    assert.equal((await client.call(call)).status, 200);
  });

  it('does not work with more privileges than it needs, and waits until it has exactly them', async () => {
    await fixture.superuser.query('GRANT DELETE ON ql3.worker_sessions TO ql3_worker_ingress');
    await using control = new ControlProcess(fixture.environment);
    const refused = await control.events.waitFor('database_not_ready');
    assert.match(String(refused['reason']), /worker_sessions/u);
    const { healthPort } = await control.events.waitFor('listeners_open');
    assert.equal(await healthStatus(LOOPBACK, Number(healthPort), '/readyz'), 503);
    await fixture.superuser.query('REVOKE DELETE ON ql3.worker_sessions FROM ql3_worker_ingress');
    const listening = await control.events.waitFor('listening');
    assert.deepEqual([listening['databaseUser'], listening['serverMajor']], ['ql3_worker_ingress', 18]);
  });

  it('reports a bad configuration whole, without a secret, and exits 64', async () => {
    const url = await fixture.trust.folder.write('bad-url', 'postgresql://user:hunter2@host/db?sslmode=disable');
    await using control = new ControlProcess({
      ...fixture.environment,
      QL3_CLUSTER_CONTROL_ENABLED: 'yes',
      QL3_CLUSTER_CONTROL_TLS_CERTIFICATE_FILE: '/nowhere/tls.crt',
      QL3_CLUSTER_CONTROL_PEPPER_FILE: await fixture.trust.folder.write('bad-pepper', 'hunter2'),
      QL3_CLUSTER_CONTROL_UNKNOWN: '1',
      QL3_POSTGRES_WORKER_INGRESS_URL_FILE: url,
      QL3_POSTGRES_WORKER_INGRESS_ALLOW_INSECURE: 'false',
      QL3_POSTGRES_WORKER_INGRESS_MAX_CONNECTIONS: '1000',
    });
    assert.deepEqual(await control.exited, { code: 64, signal: null });
    assert.deepEqual(control.events.events, []);
    const [failure] = control.failures.named('process_failed');
    assert.equal(failure?.['code'], 'QL3_CLUSTER_CONTROL_CONFIGURATION_INVALID');
    const problems = (failure?.['problems'] ?? []) as { subject: string }[];
    const subjects = problems.map(({ subject }) => subject.replace(/^QL3_(?:CLUSTER_CONTROL|POSTGRES_WORKER_INGRESS)_/u, ''));
    assert.deepEqual(subjects.toSorted(), ['ENABLED', 'MAX_CONNECTIONS', 'PEPPER_FILE', 'TLS_CERTIFICATE_FILE', 'TLS_MODE', 'UNKNOWN', 'URL_FILE']);
    assert.doesNotMatch(JSON.stringify(failure), /hunter2/u);
  });

  it('says which address it could not have, and exits 1', async () => {
    const taken = createServer().listen(0, LOOPBACK);
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await using control = new ControlProcess({ ...fixture.environment, QL3_CLUSTER_CONTROL_INGRESS_PORT: String(port) });
    assert.deepEqual(await control.exited, { code: 1, signal: null });
    assert.match(JSON.stringify(control.failures.events), new RegExp(`QL3_CLUSTER_CONTROL_LISTEN_FAILED.*${LOOPBACK}:${port}.*EADDRINUSE`, 'u'));
    taken.close();
  });
});
