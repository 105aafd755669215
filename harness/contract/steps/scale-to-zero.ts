import { CONTRACT_NAMES as NAMES } from '../../../evidence/contract-names.ts';
import type { ContractContext } from '../context.ts';
import { DEADLINES } from '../deadlines.ts';
import type { PodRef } from '../pods.ts';
import { belongsTo, waitForLine } from '../rollout.ts';
import { changeDeployment } from './identity.ts';

/** Ends the last session the way a release does: no replica is wanted, the Worker drains, its Pod goes. */
export async function scaleToZero(context: ContractContext, last: PodRef): Promise<void> {
  await changeDeployment(context.cluster, NAMES, (deployment) => ({ ...deployment, spec: { ...deployment.spec, replicas: 0 } as NonNullable<typeof deployment.spec> }));
  await waitForLine(context, last, 'stopped', DEADLINES.podGoneMs);
  await context.watches.workerPods.until(`no Pod of Deployment ${NAMES.deployment} to be left`, (pods) => (pods.some((pod) => belongsTo(pod, NAMES.deployment)) ? undefined : true), DEADLINES.podGoneMs);
}
