import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createTestAuthority } from '../../test-support/test-authority.ts';
import { openApiConnection, type ApiConnection, type ApiConnectionOptions, type ApiRequest } from './api-connection.ts';
import type { ClusterAccess } from './cluster-access.ts';

const SECRET = 'ql3w_credential_secret';
const CALL: ApiRequest = { method: 'GET', path: '/api/v1/x', operation: 'GET x' };

/** Faults that a sound API server cannot be made to show. */
describe('API connection', () => {
  let server: Server;
  let access: ClusterAccess;
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};

  before(async () => {
    const { certificatePem, privateKeyPem } = await createTestAuthority();
    server = createServer({ cert: certificatePem, key: privateKeyPem, keepAliveTimeout: 120_000 }, (request, response) => answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    access = {
      server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      caPem: certificatePem,
      tlsServerName: null,
      identity: { kind: 'bearer', token: SECRET },
      impersonateUser: null,
    };
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  function open(options: ApiConnectionOptions = {}): ApiConnection & Disposable {
    const connection = openApiConnection(access, options);
    return Object.assign(connection, { [Symbol.dispose]: () => connection.dispose() });
  }

  function answers(status: number, body: string): void {
    answer = (_, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }

  test('a server that accepts and then says nothing is a timeout', async () => {
    answer = () => {};
    using connection = open({ callTimeoutMs: 200 });
    await assert.rejects(connection.call(CALL), { code: 'timeout' });
  });

  test('an answer that stops in the middle is a timeout', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-length': '100' }).write('{');
    using connection = open({ callTimeoutMs: 200 });
    await assert.rejects(connection.call(CALL), { code: 'timeout' });
  });

  test('a connection that is cut is a network failure', async () => {
    answer = (request) => request.socket.destroy();
    using connection = open();
    await assert.rejects(connection.call(CALL), { code: 'network' });
  });

  test('500 and 429 are statuses with their reason', async () => {
    using connection = open();
    answers(500, JSON.stringify({ kind: 'Status', reason: 'InternalError', message: `failed on ${SECRET}` }));
    await assert.rejects(connection.call(CALL), (error: Error) => {
      assert.equal((error as { status?: number }).status, 500);
      assert.ok(!error.message.includes(SECRET), 'the message of an internal error may quote anything');
      return true;
    });
    answers(429, 'slow down');
    await assert.rejects(connection.call(CALL), { status: 429, reason: null });
  });

  test('an invalid object names its fields and quotes no value', async () => {
    using connection = open();
    answers(422, JSON.stringify({ reason: 'Invalid', message: `Invalid value: "${SECRET}"`, details: { causes: [{ field: 'data.token', message: SECRET }] } }));
    await assert.rejects(connection.call(CALL), (error: Error) => {
      assert.match(error.message, /422 Invalid \(data\.token\)/);
      assert.ok(!error.message.includes(SECRET));
      return true;
    });
  });

  test('what is not JSON, or too large, is an invalid response and is not quoted', async () => {
    using connection = open();
    answers(200, `<html>${SECRET}</html>`);
    await assert.rejects(connection.call(CALL), (error: Error) => error.message.includes('not JSON') && !error.message.includes(SECRET));
    answers(200, JSON.stringify('x'.repeat(4 * 1024 * 1024)));
    await assert.rejects(connection.call(CALL), { code: 'invalid_response' });
  });

  test('a redirect is not followed', async () => {
    using connection = open();
    answer = (_, response) => response.writeHead(302, { location: 'https://example.com/' }).end('{}');
    await assert.rejects(connection.call(CALL), { status: 302 });
  });

  test('a server of another authority is not talked to', async () => {
    const { certificatePem } = await createTestAuthority();
    const connection = openApiConnection({ ...access, caPem: certificatePem });
    await assert.rejects(connection.call(CALL), { code: 'network' });
    connection.dispose();
  });

  test('disposing ends what is pending and refuses what follows', async () => {
    let arrived = (): void => {};
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    answer = () => arrived();
    using connection = open();
    const pending = assert.rejects(connection.call(CALL), { code: 'client_disposed' });
    await arrival;
    assert.equal(connection.disposed, false);
    connection.dispose();
    assert.equal(connection.disposed, true);
    await pending;
    await assert.rejects(connection.call(CALL), { code: 'client_disposed' });
  });

  test("the caller's abort ends a call", async () => {
    const abort = new AbortController();
    answer = () => abort.abort(new Error('enough'));
    using connection = open({ signal: abort.signal });
    await assert.rejects(connection.call(CALL), { code: 'aborted' });
  });
});
