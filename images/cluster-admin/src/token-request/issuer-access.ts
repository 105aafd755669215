import type { ExpectedAccess } from './access-reviews.ts';
import { anotherName, type ReviewTargets } from './reviewed-access.ts';

/** The issuer may create a token for one ServiceAccount (1 allowed) and touch nothing that the token opens (8 denied). */
export function issuerAccess(targets: ReviewTargets): ExpectedAccess {
  const { stageNamespace, namespace, serviceAccountName } = targets;
  const token = { namespace: stageNamespace, verb: 'create', group: '', resource: 'serviceaccounts', subresource: 'token' } as const;
  const stageSecrets = { namespace: stageNamespace, group: '', resource: 'secrets' } as const;
  return {
    allowed: [{ ...token, name: serviceAccountName }],
    denied: [
      { ...token, name: anotherName(serviceAccountName) },
      { ...stageSecrets, verb: 'get' },
      { ...stageSecrets, verb: 'list' },
      { ...stageSecrets, verb: 'create' },
      { namespace, verb: 'get', group: '', resource: 'secrets', name: targets.targetSecretName },
      { namespace, verb: 'get', group: 'apps', resource: 'deployments', name: targets.targetDeploymentName },
      { namespace, verb: 'get', group: '', resource: 'pods' },
      { namespace, verb: 'get', group: '', resource: 'namespaces', name: namespace },
    ],
  };
}
