import { CONTRACT_NAMES, PROBE_NAMES } from '../../../evidence/contract-names.ts';
import { manifestOf, renderManifests, type ManifestObject } from '../../manifests/render.ts';
import { createAll } from '../apply.ts';
import type { ContractContext } from '../context.ts';
import { createIdentity, identityParameters, type IdentityMaterial } from '../identity.ts';
import type { ObjectValues } from '../object-values.ts';
import type { Authority } from '../../pki/authority.ts';

const { workerNamespace, stageNamespace, targetSecret, deployment, identitySecret, deliveryServiceAccount, issuerUser, recoveryUser, workerId } = PROBE_NAMES;

/** A Worker of the probes' own. Its Deployment is paused: deliveries may change it without a Pod being replaced each time. */
export async function createProbeObjects(context: ContractContext, authority: Authority): Promise<void> {
  await createAll(context.cluster, probeObjects(context, await createIdentity('probe-identity', authority)));
}

export function probeObjects({ images }: Pick<ObjectValues, 'images'>, identity: IdentityMaterial): readonly ManifestObject[] {
  const worker = manifestOf(
    renderManifests('worker-production', {
      workerImage: images.worker.name,
      identityGeneration: identity.facts.generation,
      workerId,
      workerNamespace,
      deployment,
      targetSecret,
      identitySecret,
      stateClaim: PROBE_NAMES.claim,
      controlNamespace: CONTRACT_NAMES.workerNamespace,
    }),
    'Deployment',
  );
  if (worker.spec === undefined) throw new TypeError('expected the Worker’s Deployment to have a spec');
  worker.spec.paused = true;
  return [
    ...renderManifests('credential-admin', { workerNamespace, stageNamespace, targetSecret, deployment, deliveryServiceAccount, issuerUser, recoveryUser }),
    ...renderManifests('credential-target', { workerNamespace, targetSecret }),
    ...renderManifests('worker-foundation', { workerNamespace, stateClaim: PROBE_NAMES.claim }),
    ...renderManifests('worker-identity', { ...identityParameters(identity), workerNamespace, identitySecret }),
    worker,
  ];
}
