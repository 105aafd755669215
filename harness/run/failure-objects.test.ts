import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connectToCluster } from '../cluster/clients.ts';
import { stageApiServer } from '../cluster/testing/staged-api-server.ts';
import { FailureFolder } from './failure-folder.ts';
import { saveObjects } from './failure-objects.ts';

const POD = '/api/v1/namespaces/ns/pods/worker-1/log';

/** An API server with one Pod, whose container had ended when the Pods were listed; `logs` by whether the one before is asked for. */
async function saved(context: TestContext, logs: { readonly now: string; readonly before: string | null }): Promise<{ readonly files: Readonly<Record<string, string>>; readonly missing: readonly { readonly what: string }[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'ql3-failure-objects-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const pod = { metadata: { name: 'worker-1', namespace: 'ns', uid: 'u' }, status: { containerStatuses: [{ name: 'worker', restartCount: 0, state: { terminated: { exitCode: 137 } } }] } };
  const { server, config } = await stageApiServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'https://server');
    const log = searchParams.get('previous') === 'true' ? logs.before : logs.now;
    if (pathname !== POD) response.end(JSON.stringify({ items: pathname.endsWith('/pods') ? [pod] : [] }));
    else if (log === null) response.writeHead(400, { 'content-type': 'application/json' }).end('{"kind":"Status","code":400}');
    else response.writeHead(200, { 'content-type': 'text/plain' }).end(log);
  });
  context.after(() => server.close());
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, config.exportConfig(), { mode: 0o600 });
  const folder = new FailureFolder(join(directory, 'failure'));
  await saveObjects(folder, { cluster: connectToCluster(kubeconfig), lines: null, namespaces: ['ns'], signal: AbortSignal.timeout(60_000) });
  const names = readdirSync(folder.path).filter((name) => name.endsWith('.log'));
  return { files: Object.fromEntries(names.map((name) => [name, readFileSync(join(folder.path, name), 'utf8')])), missing: folder.missing };
}

test('the log of a container that was started again after it was listed is the one before', async (context) => {
  assert.deepEqual(await saved(context, { now: '', before: 'its last words\n' }), { files: { 'ns.worker-1.worker.previous.log': 'its last words\n' }, missing: [] });
});

test('of one that was not, nothing is missing', async (context) => {
  assert.deepEqual(await saved(context, { now: 'its last words\n', before: null }), { files: { 'ns.worker-1.worker.log': 'its last words\n' }, missing: [] });
});
