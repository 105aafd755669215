import { CONTRACT_NAMES } from '../contract-names.ts';
import { DELIVERY } from '../identities.ts';
import { isForbidden, requestsBy } from './audit.ts';
import { lastSeen } from './objects.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import { projectedSecrets } from './pod-spec.ts';
import { workerPods } from './pods.ts';
import { rule, verdict } from '../verdict.ts';

/** Credential and TLS identity are two Secrets that every Pod projects, and the delivery identity never got at the second. */
export const secretSeparatedFromIdentity = fact((run: ObservedRun) => {
  const { workerNamespace, targetSecret, identitySecret, targetDataKey } = CONTRACT_NAMES;
  const [target, identity] = [lastSeen(run, 'Secret', workerNamespace, targetSecret), lastSeen(run, 'Secret', workerNamespace, identitySecret)];
  const pods = workerPods(run);
  const touched = requestsBy(run, DELIVERY).filter((request) => request.event.resource === 'secrets' && request.event.name === identitySecret && !isForbidden(request));
  return verdict([
    rule('the credential Secret holds the token alone', target?.object.dataKeys?.join() === targetDataKey, [target]),
    rule('the identity Secret holds key and certificates, and no token', identity?.object.dataKeys?.toSorted().join() === 'ca.crt,tls.crt,tls.key', [identity]),
    rule('every Pod projects the token of the one Secret and nothing of it from the other', pods.length > 0 && pods.every((pod) => {
      const secrets = projectedSecrets(pod.object);
      return secrets.get(targetSecret)?.join() === targetDataKey && secrets.has(identitySecret) && !secrets.get(identitySecret)?.includes(targetDataKey);
    }), pods.map(({ appeared }) => appeared)),
    rule('the delivery identity got no answer about the identity Secret', touched.length === 0, touched),
  ]);
});
