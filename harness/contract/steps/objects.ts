import { CONTRACT_NAMES as NAMES, PROBE_NAMES } from '../../../evidence/contract-names.ts';
import { renderManifests, type ManifestObject } from '../../manifests/render.ts';
import { createAll } from '../apply.ts';
import { expecting } from '../../progress/activity.ts';
import type { ContractContext } from '../context.ts';
import { DEADLINES } from '../deadlines.ts';
import { identityParameters, recordIdentity, type IdentityMaterial, type WorkerIdentity } from '../identity.ts';
import type { ObjectValues } from '../object-values.ts';
import { belongsTo } from '../rollout.ts';

/**
 * Everything that an operator prepares once: namespaces, roles, the prepared target Secret, the identity, the volume claim and the actor.
 * The actor's Pod is there, and cannot start: the credential that it projects does not exist yet. Of all these only that Pod needs the
 * node: the others are there before it is `ready`.
 */
export async function createObjects(context: ContractContext, identity: WorkerIdentity, ready: Promise<void>): Promise<void> {
  recordIdentity(context, identity);
  const { Deployment: actor = [], rest = [] } = Object.groupBy(operatorObjects(context, identity), ({ kind }) => (kind === 'Deployment' ? kind : 'rest'));
  await createAll(context.cluster, rest);
  await expecting({ expected: 'a node for the actor’s Pod' }, () => ready);
  await createAll(context.cluster, actor);
  await context.watches.workerPods.until(`a Pod of Deployment ${NAMES.deployment}`, (pods) => pods.find((pod) => belongsTo(pod, NAMES.deployment)), DEADLINES.answersMs);
}

/** In the order of their creation: a namespace must be there before what is in it. */
export function operatorObjects({ database, access, images, pepper }: ObjectValues, identity: IdentityMaterial): readonly ManifestObject[] {
  return [
    ...renderManifests('namespaces', {}),
    ...renderManifests('namespaces', { workerNamespace: PROBE_NAMES.workerNamespace, stageNamespace: PROBE_NAMES.stageNamespace, executorNamespace: PROBE_NAMES.executorNamespace }),
    ...renderManifests('credential-admin', {}),
    ...renderManifests('credential-target', {}),
    ...renderManifests('worker-foundation', {}),
    ...renderManifests('worker-identity', identityParameters(identity)),
    ...renderManifests('executor-access', {
      pepper: Buffer.from(pepper),
      databaseUrl: Buffer.from(database.urlForPods('ql3_worker_credential_executor')),
      databaseCa: Buffer.from(database.access.caPem),
      apiServerCidr: access.apiServer.serviceCidr,
      apiServerPort: access.apiServer.servicePort,
      apiServerBackendCidr: access.apiServer.backendCidr,
      apiServerBackendPort: access.apiServer.backendPort,
      postgresCidr: database.access.fromPods.cidr,
      postgresPort: database.access.fromPods.port,
    }),
    ...renderManifests('worker-actor', { workerImage: images.worker.name, identityGeneration: identity.facts.generation }),
  ];
}
