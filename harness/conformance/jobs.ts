import type { V1Job, V1JobSpec, V1Pod, V1PodList } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ClusterUnderTest } from './cluster-under-test.ts';
import { PATIENT_PROGRAM, programPodSpec } from './pod-programs.ts';
import { WatchStream } from './watch-stream.ts';

export function checkJobs(cluster: ClusterUnderTest): void {
  const { api } = cluster;
  const conditionOf = ({ status }: V1Job, type: string) => status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');

  async function startJob(context: TestContext, program: string, spec: Partial<V1JobSpec>): Promise<{ namespace: string; jobs: WatchStream<V1Job>; pods: WatchStream<V1Pod>; job: V1Job }> {
    const namespace = await cluster.makeNamespace(context);
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    const jobs = await WatchStream.open<V1Job>(api, path);
    context.after(() => jobs[Symbol.dispose]());
    const pods = await WatchStream.open<V1Pod>(api, `/api/v1/namespaces/${namespace}/pods`);
    context.after(() => pods[Symbol.dispose]());
    const { status, body } = await api.create<V1Job>(path, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' }, spec: { ...spec, template: { spec: programPodSpec(cluster, program) } } });
    assert.equal(status, 201);
    return { namespace, jobs, pods, job: body };
  }
  const podsOf = async (namespace: string): Promise<V1Pod[]> => (await api.get<V1PodList>(`/api/v1/namespaces/${namespace}/pods`, { labelSelector: 'job-name=a' })).body.items;

  test('a Job whose Pod ends well is complete', async (context) => {
    const { namespace, jobs, job } = await startJob(context, 'console.log(1)', { backoffLimit: 0 });
    const done = await jobs.untilObject('a complete Job', (object) => conditionOf(object, 'Complete') !== undefined);
    assert.equal(done.status?.succeeded, 1);
    assert.ok(done.status?.completionTime && done.status.startTime);
    const [pod, ...others] = await podsOf(namespace);
    assert.equal(others.length, 0);
    assert.deepEqual([pod?.status?.phase, pod?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode], ['Succeeded', 0]);
    assert.deepEqual([pod?.metadata?.ownerReferences?.[0]?.uid, pod?.metadata?.labels?.['controller-uid']], [job.metadata?.uid, job.metadata?.uid]);
    assert.equal(pod?.metadata?.labels?.['batch.kubernetes.io/job-name'], cluster.has('job-name-label') ? 'a' : undefined);
  });

  test('without a second attempt, a Job whose Pod fails has failed', async (context) => {
    const { namespace, jobs } = await startJob(context, 'process.exit(3)', { backoffLimit: 0 });
    const done = await jobs.untilObject('a failed Job', (object) => conditionOf(object, 'Failed') !== undefined);
    assert.deepEqual([conditionOf(done, 'Failed')?.reason, done.status?.failed], ['BackoffLimitExceeded', 1]);
    const [pod, ...others] = await podsOf(namespace);
    assert.deepEqual([others.length, pod?.status?.phase, pod?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode], [0, 'Failed', 3]);
  });

  test('a Job that takes too long is ended', async (context) => {
    const { jobs } = await startJob(context, PATIENT_PROGRAM, { backoffLimit: 0, activeDeadlineSeconds: 2 });
    const done = await jobs.untilObject('a failed Job', (object) => conditionOf(object, 'Failed') !== undefined);
    assert.equal(conditionOf(done, 'Failed')?.reason, 'DeadlineExceeded');
  });

  test('a Job goes some time after its end, and its Pods with it', async (context) => {
    const { jobs, pods } = await startJob(context, '', { backoffLimit: 0, ttlSecondsAfterFinished: 1 });
    const { metadata } = await pods.untilObject('its Pod', () => true);
    await jobs.untilDeleted('a');
    await pods.untilDeleted(metadata?.name ?? '');
  });

  test('a Job that is deleted takes its running Pod along', async (context) => {
    const { namespace, pods } = await startJob(context, PATIENT_PROGRAM, { backoffLimit: 0 });
    const { metadata } = await pods.untilObject('a running Pod', ({ status }) => status?.phase === 'Running');
    await api.delete(`/apis/batch/v1/namespaces/${namespace}/jobs/a`, undefined, { propagationPolicy: 'Background' });
    await pods.untilDeleted(metadata?.name ?? '');
  });
}
