import assert from 'node:assert/strict';
import { connect } from 'node:tls';
import { after, before, test } from 'node:test';
import { startTestServer, type RawAnswer } from './test-client.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

let running: Awaited<ReturnType<typeof startTestServer>>;
before(async () => {
  running = await startTestServer();
});
after(async () => running[Symbol.asyncDispose]());

const send = async (method: string, path: string, body?: unknown, contentType = 'application/json'): Promise<RawAnswer> => running.admin.send(method, path, { ...(body === undefined ? {} : { body }), contentType });
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'one', image: 'x:1' }, { name: 'two', image: 'y:1' }] } } } };

test('strict field validation refuses unknown and duplicate fields, the default warns', async () => {
  const text = '{"metadata":{"name":"v"},"data":{"a":"1","a":"2"},"surplus":true}';
  const strict = await send('POST', `${CONFIG_MAPS}?fieldValidation=Strict`, text);
  assert.equal(strict.object.message, 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "surplus", duplicate field "data.a"');
  assert.equal(strict.code, 400);
  const lax = await send('POST', CONFIG_MAPS, text);
  assert.equal(lax.code, 201);
  assert.equal(lax.object['surplus'], undefined);
  assert.equal(lax.headers['warning'], '299 - "unknown field \\"surplus\\"", 299 - "duplicate field \\"data.a\\""');
});

test('a strategic merge patch merges containers by name and obeys its directives', async () => {
  await send('POST', DEPLOYMENTS, deployment);
  const patch = { spec: { template: { spec: { $setElementOrder: 0, containers: [{ name: 'one', image: 'x:2' }, { name: 'two', $patch: 'delete' }, { name: 'three', image: 'z:1' }] } } } };
  const { object } = await send('PATCH', `${DEPLOYMENTS}/d`, patch, 'application/strategic-merge-patch+json');
  const { containers } = (object.spec as { template: { spec: { containers: { name: string; image: string }[] } } }).template.spec;
  assert.deepEqual(containers.map(({ name, image }) => `${name} ${image}`), ['one x:2', 'three z:1']);
  const recreate = await send('PATCH', `${DEPLOYMENTS}/d`, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }, 'application/strategic-merge-patch+json');
  assert.deepEqual(recreate.object.spec?.['strategy'], { type: 'Recreate' });
});

test('a JSON patch applies whole or not at all', async () => {
  const good = await send('PATCH', `${DEPLOYMENTS}/d`, [{ op: 'test', path: '/spec/replicas', value: 1 }, { op: 'replace', path: '/spec/replicas', value: 4 }], 'application/json-patch+json');
  assert.equal(good.object.spec?.['replicas'], 4);
  const bad = await send('PATCH', `${DEPLOYMENTS}/d`, [{ op: 'replace', path: '/spec/replicas', value: 5 }, { op: 'test', path: '/spec/paused', value: true }], 'application/json-patch+json');
  assert.equal(bad.code, 422);
  assert.equal((await send('GET', `${DEPLOYMENTS}/d`)).object.spec?.['replicas'], 4);
});

test('server-side apply owns, takes away, and refuses what others own', async () => {
  const path = `${CONFIG_MAPS}/applied`;
  const apply = async (manager: string, data: object, query = ''): Promise<RawAnswer> =>
    send('PATCH', `${path}?fieldManager=${manager}${query}`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data }, 'application/apply-patch+yaml');
  assert.equal((await apply('one', { a: '1', b: '1' })).code, 201);
  assert.deepEqual((await apply('two', { c: '1' })).object['data'], { a: '1', b: '1', c: '1' });
  assert.deepEqual((await apply('one', { a: '1' })).object['data'], { a: '1', c: '1' });
  const refused = await apply('two', { a: '2', c: '1' });
  assert.equal(refused.code, 409);
  assert.equal(refused.object.message, 'Apply failed with 1 conflict: conflict with "one" using v1: .data.a');
  assert.deepEqual((await apply('two', { a: '2', c: '1' }, '&force=true')).object['data'], { a: '2', c: '1' });
  assert.equal((await send('PATCH', path, '{}', 'application/apply-patch+yaml')).code, 422);
});

test('dryRun answers and stores nothing', async () => {
  assert.equal((await send('POST', `${CONFIG_MAPS}?dryRun=All`, { metadata: { name: 'dry' } })).code, 201);
  assert.equal((await send('GET', `${CONFIG_MAPS}/dry`)).code, 404);
});

test('malformed, oversized and foreign bodies are refused with their code', async () => {
  assert.equal((await send('POST', CONFIG_MAPS, '{')).code, 400);
  assert.equal((await send('POST', CONFIG_MAPS, '')).code, 400);
  assert.equal((await send('POST', CONFIG_MAPS, '[]')).code, 400);
  assert.equal((await send('POST', CONFIG_MAPS, '{"metadata":{"name":"x"},"__proto__":{"a":1}}')).code, 400);
  assert.equal((await send('POST', CONFIG_MAPS, { metadata: { name: 'x' }, data: { a: 1 } })).code, 400);
  assert.equal((await send('POST', CONFIG_MAPS, '['.repeat(200_000))).code, 400);
  assert.equal((await send('POST', CONFIG_MAPS, Buffer.from([0x22, 0xff, 0x22]))).code, 400);
  assert.equal((await send('POST', CONFIG_MAPS, '<a/>', 'application/xml')).code, 415);
  assert.equal((await send('PATCH', `${CONFIG_MAPS}/applied`, {}, 'application/json')).code, 415);
  assert.equal((await send('POST', CONFIG_MAPS, { metadata: { name: 'x' }, data: { a: 'x'.repeat(4 * 1024 * 1024) } })).code, 413);
  assert.equal((await send('POST', CONFIG_MAPS, { metadata: { name: 'x' }, data: { a: 'x'.repeat(2 * 1024 * 1024) } })).code, 422);
  assert.equal((await running.admin.send('GET', CONFIG_MAPS, { headers: { accept: 'application/xml' } })).code, 406);
  assert.equal((await send('GET', '/readyz')).text, 'ok');
});

test('clients that vanish or talk nonsense leave the server serving', async () => {
  const { port } = new URL(running.server.url);
  for (const bytes of ['', 'GARBAGE\r\n\r\n', 'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"']) {
    const socket = connect({ port: Number(port), host: '127.0.0.1', ca: running.server.caPem });
    await new Promise<void>((resolve) => socket.once('secureConnect', resolve));
    socket.write(bytes);
    socket.destroy();
  }
  const aborted = Array.from({ length: 200 }, async () => {
    const { request } = await import('node:https');
    const user = running.admin.config.getCurrentUser();
    const pem = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString();
    return new Promise<void>((resolve, reject) => {
      const watch = request(new URL(`${CONFIG_MAPS}?watch=1`, running.server.url), { ca: running.server.caPem, cert: pem(user?.certData), key: pem(user?.keyData), agent: false }, (response) => {
        response.destroy();
        resolve();
      });
      watch.on('error', reject);
      watch.end();
    });
  });
  await Promise.all(aborted);
  assert.equal((await send('GET', '/livez')).text, 'ok');
});
