import { describeError } from '../run/describe-error.ts';
import { connectToDocker } from '../substrate/k3s/docker-connection.ts';
import { CREATED_LABEL, isOwnerDead, KEPT_LABEL, OWNER_LABEL, RUN_LABEL } from '../substrate/k3s/run-labels.ts';
import { listRunObjects, removeRunObjects } from '../substrate/k3s/run-objects.ts';
import type { Found } from './leaving.ts';

/** By label. A machine without Docker has nothing of ours in it. */
export async function findInDocker(runId: string | undefined): Promise<Found> {
  let docker: Awaited<ReturnType<typeof connectToDocker>>['docker'];
  try {
    ({ docker } = await connectToDocker());
  } catch (error) {
    return { leavings: [], skipped: describeError(error) };
  }
  const objects = await listRunObjects(docker, runId);
  const kept = new Set(objects.filter(({ labels }) => labels[KEPT_LABEL] !== undefined).map(({ labels }) => labels[RUN_LABEL]));
  return {
    skipped: null,
    leavings: objects.map((object) => ({
      kind: object.kind,
      name: object.name,
      runId: object.labels[RUN_LABEL] ?? null,
      createdAt: object.labels[CREATED_LABEL] ?? null,
      ownerPid: Number(object.labels[OWNER_LABEL]) || null,
      inUse: !isOwnerDead(object.labels),
      isKept: kept.has(object.labels[RUN_LABEL]),
      async remove() {
        const [failure] = await removeRunObjects(docker, [object]);
        if (failure !== undefined) throw failure;
      },
    })),
  };
}
