import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PODS, SECRETS } from '../../controllers/runtime/kinds.ts';
import type { Pod } from '../../controllers/runtime/objects.ts';
import { EmbeddedNode } from '../testing/embedded-node.ts';
import { ONE_SHOT, POLITE } from '../testing/programs.ts';

const waitingReason = (pod: Pod): string | undefined => pod.status?.containerStatuses?.[0]?.state?.waiting?.reason;

describe('starting a Pod', () => {
  let node: EmbeddedNode;
  before(async () => {
    node = await EmbeddedNode.start({
      images: { 'polite:1': { 'app/main.mjs': POLITE }, 'once:1': { 'app/main.mjs': ONE_SHOT } },
      timing: { restartBackOff: { initialMs: 50, maxMs: 100, resetAfterMs: 600_000 } },
    });
  });
  after(() => node[Symbol.asyncDispose]());

  it('runs init containers one after the other before the others', async () => {
    const step = (name: string): object => ({
      name,
      image: 'once:1',
      command: ['node', '-e', `require('fs').appendFileSync('/shared/order', '${name} ')`],
      volumeMounts: [{ name: 'shared', mountPath: '/shared' }],
    });
    const main = "console.log('ready', require('fs').readFileSync('/shared/order', 'utf8')); setInterval(() => {}, 60000)";
    const { pod, line } = await node.readyPod('initialised', {
      volumes: [{ name: 'shared', emptyDir: {} }],
      initContainers: [step('first'), step('second')],
      containers: [{ name: 'main', image: 'once:1', command: ['node', '-e', main], volumeMounts: [{ name: 'shared', mountPath: '/shared' }] }],
    });
    assert.equal(line, 'ready first second ');
    assert.deepEqual(pod.status?.initContainerStatuses?.map((status) => status.state?.terminated?.exitCode), [0, 0]);
  });

  it('fails as a whole when an init container fails and nothing may be restarted', async () => {
    await node.create(PODS, 'default', {
      metadata: { name: 'init-fails' },
      spec: {
        restartPolicy: 'Never',
        initContainers: [{ name: 'init', image: 'once:1', env: [{ name: 'EXIT_CODE', value: '3' }] }],
        containers: [{ name: 'main', image: 'polite:1' }],
      },
    });
    const pod = await node.waitForPod('default', 'init-fails', (seen) => seen.status?.phase === 'Failed');
    assert.equal(pod.status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode, 3);
    assert.equal(waitingReason(pod), 'PodInitializing');
  });

  it('starts a crashing container again, ever later, and keeps the log of the run before', async () => {
    await node.create(PODS, 'default', {
      metadata: { name: 'crashing' },
      spec: { containers: [{ name: 'main', image: 'once:1', command: ['node', '-e', 'console.log("run"); process.exit(7)'] }] },
    });
    const backedOff = (pod: Pod): boolean => waitingReason(pod) === 'CrashLoopBackOff' && (pod.status?.containerStatuses?.[0]?.restartCount ?? 0) >= 2;
    const pod = await node.waitForPod('default', 'crashing', backedOff);
    const status = pod.status?.containerStatuses?.[0];
    assert.deepEqual([status?.lastState?.terminated?.exitCode, status?.lastState?.terminated?.reason, pod.status?.phase], [7, 'Error', 'Running']);
    assert.equal(await node.log(pod, 'main', true), 'run\n');
  });

  it('ends with the phase that its exit codes and restart policy make', async () => {
    for (const [name, restartPolicy, code, phase] of [['good', 'Never', '0', 'Succeeded'], ['bad', 'Never', '1', 'Failed'], ['done', 'OnFailure', '0', 'Succeeded']]) {
      const env = [{ name: 'EXIT_CODE', value: code }];
      await node.create(PODS, 'default', { metadata: { name: name ?? '' }, spec: { restartPolicy, containers: [{ name: 'main', image: 'once:1', env }] } });
      const pod = await node.waitForPod('default', name ?? '', (seen) => seen.status?.phase === phase);
      assert.equal(pod.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, Number(code));
    }
  });

  it('says that an image is not there, and starts when it comes', async () => {
    await node.create(PODS, 'default', { metadata: { name: 'imageless' }, spec: { containers: [{ name: 'main', image: 'late:1' }] } });
    await node.waitForPod('default', 'imageless', (pod) => waitingReason(pod) === 'ErrImageNeverPull');
    const rootDirectory = `${node.directory}/sources/polite:1`;
    await node.agent.registerImages({ 'late:1': { rootDirectory, entrypoint: ['node', '/app/main.mjs'], env: {}, imageId: 'sha256:late' } });
    const pod = await node.waitForPod('default', 'imageless', (seen) => seen.status?.phase === 'Running');
    assert.equal(pod.status?.containerStatuses?.[0]?.imageID, 'sha256:late');
  });

  it('waits for a Secret that its environment needs', async () => {
    const env = [{ name: 'VALUE', valueFrom: { secretKeyRef: { name: 'later', key: 'k' } } }];
    const command = ['node', '-e', "console.log('ready', process.env.VALUE)"];
    await node.create(PODS, 'default', { metadata: { name: 'configured' }, spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'once:1', command, env }] } });
    await node.waitForPod('default', 'configured', (pod) => waitingReason(pod) === 'CreateContainerConfigError');
    await node.create(SECRETS, 'default', { metadata: { name: 'later' }, stringData: { k: 'v' } });
    const pod = await node.waitForPod('default', 'configured', (seen) => seen.status?.phase === 'Succeeded');
    assert.equal(await node.log(pod, 'main'), 'ready v\n');
  });

  it('reports a command that does not exist', async () => {
    await node.create(PODS, 'default', { metadata: { name: 'typo' }, spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'once:1', command: ['no-such-program'] }] } });
    const pod = await node.waitForPod('default', 'typo', (seen) => seen.status?.phase === 'Failed');
    const terminated = pod.status?.containerStatuses?.[0]?.state?.terminated;
    assert.deepEqual([terminated?.exitCode, terminated?.reason], [128, 'StartError']);
  });

  it('passes on what a container writes as its termination message', async () => {
    const command = ['node', '-e', "require('fs').writeFileSync('/dev/termination-log', 'why it ended')"];
    await node.create(PODS, 'default', { metadata: { name: 'talking' }, spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'once:1', command }] } });
    const pod = await node.waitForPod('default', 'talking', (seen) => seen.status?.phase === 'Succeeded');
    assert.equal(pod.status?.containerStatuses?.[0]?.state?.terminated?.message, 'why it ended');
  });

  it('runs a container as its user, with its groups', { skip: process.getuid?.() !== 0 && 'only root may change users' }, async () => {
    const command = ['node', '-e', 'console.log(process.getuid(), process.getgid(), process.getgroups().sort().join())'];
    const spec = { restartPolicy: 'Never', securityContext: { runAsUser: 65532, runAsGroup: 10, fsGroup: 20, runAsNonRoot: true }, containers: [{ name: 'main', image: 'once:1', command }] };
    await node.create(PODS, 'default', { metadata: { name: 'user' }, spec });
    const pod = await node.waitForPod('default', 'user', (seen) => seen.status?.phase === 'Succeeded');
    assert.match(await node.log(pod, 'main'), /^65532 10 (10,)?20\n$/);
  });
});
