import type { ClusterClients } from '../../cluster/clients.ts';
import { expecting } from '../../progress/activity.ts';
import { toClusterError } from '../apply.ts';
import type { PodRef } from '../pods.ts';

/** Removes a Pod without any grace, as an operator does whose node does not answer. */
export async function removeByForce(cluster: ClusterClients, lost: PodRef): Promise<void> {
  const { namespace, podName: name, podUid: uid } = lost;
  try {
    await expecting({ expected: `the API server to delete Pod ${namespace}/${name} at once` }, () => cluster.core.deleteNamespacedPod({ namespace, name, gracePeriodSeconds: 0, body: { gracePeriodSeconds: 0, preconditions: { uid } } }));
  } catch (error) {
    throw toClusterError(`delete Pod ${namespace}/${name} with grace 0`, error);
  }
}
