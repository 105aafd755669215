import type { ExpectedAccess } from './access-reviews.ts';
import { anotherName, type ReviewTargets } from './reviewed-access.ts';

/** The delivery identity may do the eight things that a delivery needs (8 allowed), and not their neighbours (20 denied). */
export function clientAccess(targets: ReviewTargets): ExpectedAccess {
  const { stageNamespace, namespace, serviceAccountName, targetSecretName, targetDeploymentName } = targets;
  const stageSecrets = { namespace: stageNamespace, group: '', resource: 'secrets' } as const;
  const secrets = { namespace, group: '', resource: 'secrets' } as const;
  const deployments = { namespace, group: 'apps', resource: 'deployments' } as const;
  const pods = { namespace, group: '', resource: 'pods' } as const;
  const targetSecret = { ...secrets, name: targetSecretName } as const;
  const targetDeployment = { ...deployments, name: targetDeploymentName } as const;
  return {
    allowed: [
      { ...stageSecrets, verb: 'get' },
      { ...stageSecrets, verb: 'list' },
      { ...stageSecrets, verb: 'create' },
      { ...stageSecrets, verb: 'delete' },
      { ...targetSecret, verb: 'get' },
      { ...targetSecret, verb: 'update' },
      { ...targetDeployment, verb: 'get' },
      { ...targetDeployment, verb: 'update' },
    ],
    denied: [
      { ...stageSecrets, verb: 'update' },
      { ...stageSecrets, verb: 'patch' },
      { ...stageSecrets, verb: 'watch' },
      { namespace: stageNamespace, verb: 'get', group: '', resource: 'configmaps' },
      { ...secrets, verb: 'list' },
      { ...secrets, verb: 'watch' },
      { ...secrets, verb: 'get', name: targets.identitySecretName },
      { ...secrets, verb: 'create' },
      { ...targetSecret, verb: 'delete' },
      { ...targetSecret, verb: 'patch' },
      { ...deployments, verb: 'list' },
      { ...deployments, verb: 'get', name: anotherName(targetDeploymentName) },
      { ...targetDeployment, verb: 'patch' },
      { ...targetDeployment, verb: 'delete' },
      { ...pods, verb: 'get' },
      { ...pods, verb: 'list' },
      { ...pods, verb: 'create', subresource: 'exec' },
      { ...pods, verb: 'delete' },
      { namespace: stageNamespace, verb: 'create', group: '', resource: 'serviceaccounts', subresource: 'token', name: serviceAccountName },
      { namespace, verb: 'get', group: '', resource: 'namespaces', name: namespace },
    ],
  };
}
