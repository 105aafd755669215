import type { V1Container, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import type { Status } from './api-connection.ts';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { PATIENT_PROGRAM, programContainer, programPod } from './pod-programs.ts';
import { WatchStream } from './watch-stream.ts';

export function checkPods(cluster: ClusterUnderTest): void {
  const { api } = cluster;
  const terminatedOf = ({ status }: V1Pod) => status?.containerStatuses?.[0]?.state?.terminated;

  async function run(context: TestContext, program: string, extra: Partial<V1PodSpec> = {}, container: Partial<V1Container> = {}): Promise<{ path: string; pods: WatchStream<V1Pod> }> {
    const path = `/api/v1/namespaces/${await cluster.makeNamespace(context)}/pods`;
    const pods = await WatchStream.open<V1Pod>(api, path);
    context.after(() => pods[Symbol.dispose]());
    const { status, body } = await api.create<Status>(path, programPod(cluster, 'a', program, extra, container));
    assert.equal(status, 201, JSON.stringify(body));
    return { path, pods };
  }
  const logOf = async (path: string, query: Record<string, string | number | boolean> = {}) => (await api.get<string>(`${path}/a/log`, query)).body;
  /** Running is not listening to signals yet: a program prints when it does. */
  async function untilPrinted(path: string, pods: WatchStream<V1Pod>): Promise<void> {
    await pods.untilObject('a running Pod', isRunning);
    const log = await api.open('GET', `${path}/a/log`, { query: { follow: true } });
    await once(log, 'data');
    log.destroy();
  }
  const isRunning = ({ status }: V1Pod) => status?.containerStatuses?.[0]?.state?.running !== undefined;

  test('a Pod that ends well has succeeded, and its log can be read', async (context) => {
    const { path, pods } = await run(context, "for (const line of ['one', 'two', 'three']) console.log(line);");
    const done = await pods.untilObject('an ended Pod', ({ status }) => status?.phase === 'Succeeded');
    assert.deepEqual([terminatedOf(done)?.exitCode, terminatedOf(done)?.reason], [0, 'Completed']);
    assert.match(done.status?.containerStatuses?.[0]?.imageID ?? '', /sha256:[0-9a-f]{64}$/);
    assert.equal(await logOf(path), 'one\ntwo\nthree\n');
    assert.equal(await logOf(path, { tailLines: 1 }), 'three\n');
    assert.match(await logOf(path, { tailLines: 1, timestamps: true }), /^\d{4}-\d\d-\d\dT\S+Z three\n$/);
  });

  test('a Pod that fails has failed, with its exit code', async (context) => {
    const { pods } = await run(context, 'process.exit(7)');
    const done = await pods.untilObject('an ended Pod', ({ status }) => status?.phase === 'Failed');
    assert.deepEqual([terminatedOf(done)?.exitCode, terminatedOf(done)?.reason], [7, 'Error']);
  });

  test('a log is followed to its end', async (context) => {
    const { path, pods } = await run(context, "console.log('first'); setTimeout(() => console.log('last'), 1500);");
    await pods.untilObject('a started Pod', ({ status }) => status?.phase !== 'Pending');
    assert.equal(await logOf(path, { follow: true }), 'first\nlast\n');
  });

  test('init containers run in order, before all else; one that fails keeps the Pod from starting', async (context) => {
    const init = (name: string, program: string) => ({ ...programContainer(cluster, program), name });
    const good = await run(context, "console.log('main')", { initContainers: [init('one', "console.log('one')"), init('two', "console.log('two')")] });
    const done = await good.pods.untilObject('an ended Pod', ({ status }) => status?.phase === 'Succeeded');
    const [one, two] = done.status?.initContainerStatuses ?? [];
    assert.ok(one?.state?.terminated && two?.state?.terminated);
    assert.ok(new Date(one.state.terminated.finishedAt ?? 0) <= new Date(two.state.terminated.startedAt ?? 0));
    assert.equal(await logOf(good.path, { container: 'two' }), 'two\n');
    const bad = await run(context, "console.log('main')", { initContainers: [init('one', 'process.exit(4)')] });
    const failed = await bad.pods.untilObject('a failed Pod', ({ status }) => status?.phase === 'Failed');
    assert.equal(failed.status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode, 4);
    assert.equal(failed.status?.containerStatuses?.[0]?.state?.waiting?.reason, 'PodInitializing');
  });

  test('a container that fails again and again backs off, and its former log can be read', async (context) => {
    const { path, pods } = await run(context, "console.log('attempt'); process.exit(1);", { restartPolicy: 'Always' });
    const looping = await pods.untilObject('CrashLoopBackOff', ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff');
    const status = looping.status?.containerStatuses?.[0];
    assert.ok((status?.restartCount ?? 0) >= 1);
    assert.equal(status?.lastState?.terminated?.exitCode, 1);
    assert.equal(await logOf(path, { previous: true }), 'attempt\n');
  });

  test('a Pod is asked to end, after its preStop hook, and given time', async (context) => {
    const program = "import { existsSync } from 'node:fs'; process.on('SIGTERM', () => { console.log(`hook first: ${existsSync('/shared/hook')}`); process.exit(0); }); console.log('started'); setInterval(() => {}, 1 << 30);";
    const mount = [{ name: 'shared', mountPath: '/shared' }];
    const preStop = { exec: { command: ['node', '--input-type=module', '--eval', "import { writeFileSync } from 'node:fs'; writeFileSync('/shared/hook', '');"] } };
    const { path, pods } = await run(context, program, { volumes: [{ name: 'shared', emptyDir: {} }], terminationGracePeriodSeconds: 30 }, { volumeMounts: mount, lifecycle: { preStop } });
    await untilPrinted(path, pods);
    const following = logOf(path, { follow: true });
    const marked = await api.delete<V1Pod>(`${path}/a`);
    assert.deepEqual([marked.body.metadata?.deletionGracePeriodSeconds, typeof marked.body.metadata?.deletionTimestamp], [30, 'string']);
    assert.match(await following, /^started\nhook first: true\n/); // the runtime may add that the container is gone
    const gone = await pods.untilDeleted('a');
    assert.equal(terminatedOf(gone)?.exitCode ?? 0, 0);
  });

  test('who does not end in time is killed', async (context) => {
    const { path, pods } = await run(context, "process.on('SIGTERM', () => {}); console.log('deaf'); setInterval(() => {}, 1 << 30);", { terminationGracePeriodSeconds: 1 });
    await untilPrinted(path, pods);
    const started = Date.now();
    await api.delete(`${path}/a`);
    await pods.untilDeleted('a');
    assert.ok(Date.now() - started >= 900);
    const killed = pods.events.map(({ object }) => terminatedOf(object)?.exitCode).findLast((code) => code !== undefined);
    assert.equal(killed ?? 137, 137);
  });

  test('with no grace at all the object goes at once', async (context) => {
    const { path, pods } = await run(context, PATIENT_PROGRAM, { terminationGracePeriodSeconds: 300 });
    await pods.untilObject('a running Pod', isRunning);
    await api.delete(`${path}/a`, { gracePeriodSeconds: 0 });
    await pods.untilDeleted('a');
    assert.equal((await api.get(`${path}/a`)).status, 404);
  });

  test('an image that is not on the node and must not be fetched is named', async (context) => {
    const { pods } = await run(context, '', {}, { image: 'example.invalid/absent:1', imagePullPolicy: 'Never' });
    const waiting = await pods.untilObject('ErrImageNeverPull', ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'ErrImageNeverPull');
    assert.match(waiting.status?.containerStatuses?.[0]?.state?.waiting?.message ?? '', /example\.invalid\/absent:1/);
  });

  test('the environment comes from values, fields, Secrets and ConfigMaps, and refers to itself', async (context) => {
    const namespace = await cluster.makeNamespace(context);
    const path = `/api/v1/namespaces/${namespace}`;
    await api.create(`${path}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { x: 'secret' } });
    await api.create(`${path}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { FROM_MAP: 'map' } });
    const env = [
      { name: 'VALUE', value: 'value' },
      { name: 'REFERS', value: 'a $(VALUE) and $$(VALUE) and $(NONE)' },
      { name: 'UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'x' } } },
    ];
    const program = "const { VALUE, REFERS, UID, IP, SECRET, FROM_MAP } = process.env; console.log(JSON.stringify({ VALUE, REFERS, UID, IP, SECRET, FROM_MAP }));";
    using pods = await WatchStream.open<V1Pod>(api, `${path}/pods`);
    await api.create(`${path}/pods`, programPod(cluster, 'a', program, {}, { env, envFrom: [{ configMapRef: { name: 'c' } }] }));
    const { metadata, status } = await pods.untilObject('an ended Pod', (pod) => pod.status?.phase === 'Succeeded');
    assert.deepEqual(JSON.parse(await logOf(`${path}/pods`)), {
      VALUE: 'value', REFERS: 'a value and $(VALUE) and $(NONE)', UID: metadata?.uid, IP: status?.podIP, SECRET: 'secret', FROM_MAP: 'map',
    });
  });
}
