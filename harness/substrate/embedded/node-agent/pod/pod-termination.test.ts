import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PODS } from '../../controllers/runtime/kinds.ts';
import { EmbeddedNode } from '../testing/embedded-node.ts';
import { untilEnded } from '../testing/process-state.ts';
import { POLITE, STUBBORN } from '../testing/programs.ts';

describe('a Pod that is deleted', () => {
  let node: EmbeddedNode;
  before(async () => {
    node = await EmbeddedNode.start({ images: { 'polite:1': { 'app/main.mjs': POLITE }, 'stubborn:1': { 'app/main.mjs': STUBBORN } } });
  });
  after(() => node[Symbol.asyncDispose]());

  it('gets SIGTERM, and its exit is reported before the object is gone', async () => {
    const { pod } = await node.readyPod('polite', { containers: [{ name: 'main', image: 'polite:1', args: ['a', 'b'] }] });
    const log = node.log(pod, 'main');
    using recorded = node.record(PODS);
    await node.client.delete(PODS, pod);
    await node.waitForGone(PODS, 'default', 'polite');
    assert.equal(await log, 'ready a b\nSIGTERM\n');
    const gone = recorded.changes.find(({ type, object }) => type === 'DELETED' && object.metadata.name === 'polite');
    assert.equal(gone?.object.status?.phase, 'Succeeded');
    const terminated = gone?.object.status?.containerStatuses?.[0]?.state?.terminated;
    assert.deepEqual([terminated?.exitCode, terminated?.reason], [0, 'Completed']);
    assert.ok(Date.parse(terminated?.finishedAt ?? '') >= Date.parse(terminated?.startedAt ?? ''));
  });

  it('runs its preStop hook to the end before SIGTERM', async () => {
    const hook = "require('fs').appendFileSync('/journal/log', 'stop\\n'); setTimeout(() => require('fs').appendFileSync('/journal/log', 'done\\n'), 300)";
    const main = "process.on('SIGTERM', () => { console.log(require('fs').readFileSync('/journal/log', 'utf8')); process.exit(0) }); setInterval(() => {}, 60000); console.log('ready')";
    const { pod } = await node.readyPod('hooked', {
      volumes: [{ name: 'journal', emptyDir: {} }],
      containers: [
        {
          name: 'main',
          image: 'polite:1',
          command: ['node', '-e', main],
          volumeMounts: [{ name: 'journal', mountPath: '/journal' }],
          lifecycle: { preStop: { exec: { command: ['node', '-e', hook] } } },
        },
      ],
    });
    const log = node.log(pod, 'main');
    await node.client.delete(PODS, pod);
    await node.waitForGone(PODS, 'default', 'hooked');
    assert.equal(await log, 'ready\nstop\ndone\n\n');
  });

  it('is killed with all its processes when the grace period is over', async () => {
    const { pod, line } = await node.readyPod('stubborn', { containers: [{ name: 'main', image: 'stubborn:1' }] });
    const [, pid = 0, child = 0] = line.split(' ').map(Number);
    using recorded = node.record(PODS);
    const startedAt = performance.now();
    await node.client.delete(PODS, pod, { gracePeriodSeconds: 1 });
    await node.waitForGone(PODS, 'default', 'stubborn');
    // a timer counts whole milliseconds
    assert.ok(performance.now() - startedAt >= 999);
    const gone = recorded.changes.find(({ type }) => type === 'DELETED');
    assert.equal(gone?.object.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 137);
    assert.equal(gone?.object.status?.phase, 'Failed');
    await untilEnded(pid, child);
  });

  it('leaves the API at once with grace 0, and its processes are killed', async () => {
    const { pod, line } = await node.readyPod('forced', { containers: [{ name: 'main', image: 'stubborn:1' }] });
    const [, pid = 0, child = 0] = line.split(' ').map(Number);
    const log = node.log(pod, 'main');
    await node.client.delete(PODS, pod, { gracePeriodSeconds: 0 });
    assert.equal(await node.client.get(PODS, 'default', 'forced'), null);
    // The log ends when the process and its group are gone.
    assert.doesNotMatch(await log, /SIGTERM/);
    await untilEnded(pid, child);
  });

  it('can be hurried by a second, shorter deletion', async () => {
    const { pod } = await node.readyPod('hurried', { terminationGracePeriodSeconds: 300, containers: [{ name: 'main', image: 'stubborn:1' }] });
    await node.client.delete(PODS, pod);
    await node.waitForLine(pod, 'main', 'SIGTERM ignored');
    await node.client.delete(PODS, pod, { gracePeriodSeconds: 1 });
    await node.waitForGone(PODS, 'default', 'hurried');
  });
});
