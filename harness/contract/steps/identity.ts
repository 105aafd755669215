import type { V1Deployment } from '@kubernetes/client-node';
import { WORKER_IDENTITY_GENERATION_ANNOTATION } from '../annotations.ts';
import type { ClusterClients } from '../../cluster/clients.ts';
import { renderManifests, manifestOf } from '../../manifests/render.ts';
import { compareAndSwap } from '../apply.ts';
import { identityParameters, type WorkerIdentity } from '../identity.ts';

interface IdentityPlace {
  readonly workerNamespace: string;
  readonly identitySecret: string;
  readonly deployment: string;
}

/** Replaces the content of the identity Secret under the resourceVersion that was read. The credential's Secret is not touched. */
export async function replaceIdentitySecret(cluster: ClusterClients, place: IdentityPlace, identity: WorkerIdentity): Promise<void> {
  const { workerNamespace: namespace, identitySecret: name } = place;
  const rendered = manifestOf(renderManifests('worker-identity', { ...identityParameters(identity), workerNamespace: namespace, identitySecret: name }), 'Secret');
  await compareAndSwap(`replace Secret ${namespace}/${name}`, async () => {
    const current = await cluster.core.readNamespacedSecret({ namespace, name });
    await cluster.core.replaceNamespacedSecret({ namespace, name, body: { ...current, data: rendered.data ?? {} } });
  });
}

/**
 * Reads the Deployment, lets `change` alter it, and replaces it under the same resourceVersion. The credential's annotations
 * on the template belong to another authority and stay as they are.
 */
export async function changeDeployment(cluster: ClusterClients, place: Pick<IdentityPlace, 'workerNamespace' | 'deployment'>, change: (deployment: V1Deployment) => V1Deployment): Promise<void> {
  const { workerNamespace: namespace, deployment: name } = place;
  await compareAndSwap(`replace Deployment ${namespace}/${name}`, async () => {
    const current = await cluster.apps.readNamespacedDeployment({ namespace, name });
    await cluster.apps.replaceNamespacedDeployment({ namespace, name, body: change(current) });
  });
}

/** Moves the annotation that alone makes the Deployment replace its Pod for a new identity. */
export function withIdentityGeneration(generation: string): (deployment: V1Deployment) => V1Deployment {
  return (deployment) => {
    const template = templateOf(deployment);
    return {
      ...deployment,
      spec: {
        ...specOf(deployment),
        template: { ...template, metadata: { ...template.metadata, annotations: { ...template.metadata?.annotations, [WORKER_IDENTITY_GENERATION_ANNOTATION]: generation } } },
      },
    };
  };
}

/** Takes the Pod template of another manifest, and keeps of the present one the annotations that the other does not set. */
export function withTemplateOf(manifest: V1Deployment): (deployment: V1Deployment) => V1Deployment {
  return (deployment) => {
    const next = templateOf(manifest);
    const annotations = { ...templateOf(deployment).metadata?.annotations, ...next.metadata?.annotations };
    return { ...deployment, spec: { ...specOf(deployment), template: { ...next, metadata: { ...next.metadata, annotations } } } };
  };
}

function specOf(deployment: V1Deployment): NonNullable<V1Deployment['spec']> {
  if (deployment.spec === undefined) throw new TypeError('expected a Deployment with a spec');
  return deployment.spec;
}

function templateOf(deployment: V1Deployment): NonNullable<V1Deployment['spec']>['template'] {
  return specOf(deployment).template;
}
