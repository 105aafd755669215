import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EmbeddedNode } from '../../node-agent/testing/embedded-node.ts';
import { ONE_SHOT, POLITE } from '../../node-agent/testing/programs.ts';
import { JOBS, PODS } from '../runtime/kinds.ts';
import type { Job } from '../runtime/objects.ts';

const conditionOf = (job: Job | undefined, type: string): string | undefined =>
  job?.status?.conditions?.find((condition) => condition.type === type && condition.status === 'True')?.reason;

describe('a Job', () => {
  let node: EmbeddedNode;
  before(async () => {
    node = await EmbeddedNode.start({
      images: { 'once:1': { 'app/main.mjs': ONE_SHOT }, 'polite:1': { 'app/main.mjs': POLITE } },
      jobBackOff: { initialMs: 20, maxMs: 40 },
    });
  });
  after(() => node[Symbol.asyncDispose]());

  async function run(name: string, spec: Record<string, unknown>, exitCode: string, image = 'once:1'): Promise<void> {
    const containers = [{ name: 'main', image, env: [{ name: 'EXIT_CODE', value: exitCode }] }];
    await node.create(JOBS, 'default', { metadata: { name }, spec: { ...spec, template: { spec: { restartPolicy: 'Never', containers } } } });
  }

  it('completes with its Pod, which stays to be read', async () => {
    await run('good', { backoffLimit: 0 }, '0');
    const job = await node.waitFor(JOBS, 'default', 'good', (seen) => conditionOf(seen, 'Complete') === 'CompletionsReached');
    assert.deepEqual([job.status?.succeeded, job.status?.failed, job.status?.active], [1, undefined, undefined]);
    assert.ok(job.status?.completionTime);
    const pods = (await node.client.list(PODS, 'default')).filter(({ metadata }) => metadata.labels?.['batch.kubernetes.io/job-name'] === 'good');
    assert.deepEqual(pods.map(({ status }) => status?.phase), ['Succeeded']);
  });

  it('tries as often as its limit allows, then fails', async () => {
    await run('bad', { backoffLimit: 2 }, '9');
    const job = await node.waitFor(JOBS, 'default', 'bad', (seen) => conditionOf(seen, 'Failed') === 'BackoffLimitExceeded');
    assert.deepEqual([job.status?.failed, job.status?.succeeded], [3, undefined]);
  });

  it('with backoffLimit 0 starts exactly one Pod', async () => {
    await run('once', { backoffLimit: 0 }, '1');
    await node.waitFor(JOBS, 'default', 'once', (seen) => conditionOf(seen, 'Failed') === 'BackoffLimitExceeded');
    const pods = (await node.client.list(PODS, 'default')).filter(({ metadata }) => metadata.labels?.['job-name'] === 'once');
    assert.equal(pods.length, 1);
  });

  it('is ended by its deadline, with its Pods', async () => {
    await run('slow', { activeDeadlineSeconds: 1 }, '0', 'polite:1');
    const job = await node.waitFor(JOBS, 'default', 'slow', (seen) => conditionOf(seen, 'Failed') === 'DeadlineExceeded');
    assert.equal(conditionOf(job, 'FailureTarget'), 'DeadlineExceeded');
    assert.equal(job.status?.active, undefined);
  });

  it('is removed with its Pods after its time to live', async () => {
    await run('brief', { ttlSecondsAfterFinished: 0 }, '0');
    await node.waitUntil(JOBS, (cache) => (cache.find('default', 'brief') === undefined ? true : undefined), 'default/brief');
    const pods = (await node.client.list(PODS, 'default')).filter(({ metadata }) => metadata.labels?.['job-name'] === 'brief');
    assert.deepEqual(pods, []);
  });
});
