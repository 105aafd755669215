import { CONTRACT_NAMES as NAMES } from '../../../evidence/contract-names.ts';
import { renderManifests, type ManifestObject } from '../../manifests/render.ts';
import { HarnessError } from '../../run/errors.ts';
import { createAll } from '../apply.ts';
import type { ContractContext } from '../context.ts';
import { DEADLINES } from '../deadlines.ts';
import { podRef, podStatus, type PodRef } from '../pods.ts';
import type { ObjectValues } from '../object-values.ts';
import type { ExecutionCommand } from '../../../images/cluster-admin/src/index.ts';

/** Creates the executor Job for one command and waits for its end, as the caller that drives it would. */
export async function runExecutorJob(context: ContractContext, job: string, command: ExecutionCommand): Promise<PodRef> {
  await createAll(context.cluster, executorJobObjects(context, job, JSON.stringify(command)));
  const ended = await context.watches.executorJobs.until(
    `Job ${job} to complete`,
    (jobs) => {
      const found = jobs.find((candidate) => candidate.metadata.name === job);
      const status = found?.['status'] as { conditions?: { type: string; status: string; reason?: string; message?: string }[] } | undefined;
      return status?.conditions?.find((condition) => (condition.type === 'Complete' || condition.type === 'Failed') && condition.status === 'True');
    },
    DEADLINES.jobMs,
  );
  const pod = await context.watches.executorPods.until(
    `the Pod of Job ${job} to have ended`,
    (pods) => pods.find((candidate) => candidate.metadata.ownerReferences?.some((owner) => owner.name === job) === true && (podStatus(candidate).containerStatuses ?? []).some((status) => status.state?.terminated !== undefined)),
    DEADLINES.jobMs,
  );
  await context.lines.ended(pod.metadata.uid, DEADLINES.jobMs);
  if (ended.type !== 'Complete') {
    throw new HarnessError('QL3_CONTRACT', `expected Job ${NAMES.executorNamespace}/${job} to complete, got ${ended.type}: ${ended.reason ?? ''} ${ended.message ?? ''}; the log of Pod ${pod.metadata.name} is in the failure folder`);
  }
  return podRef(pod);
}

export function executorJobObjects({ images, clusterIdentity }: Pick<ObjectValues, 'images' | 'clusterIdentity'>, job: string, commandJson: string): readonly ManifestObject[] {
  return renderManifests('executor-job', {
    job,
    commandJson,
    adminImage: images.admin.name,
    clusterIdentity,
    targetSecret: NAMES.targetSecret,
    deployment: NAMES.deployment,
    identitySecret: NAMES.identitySecret,
  });
}
