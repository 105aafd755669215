import { CONTRACT_NAMES } from '../contract-names.ts';
import { DELIVERY } from '../identities.ts';
import { isForbidden, requestsBy } from './audit.ts';
import { watchedStates } from './objects.ts';
import type { ObservedRun } from './observed-run.ts';
import { projectedSecrets } from './pod-spec.ts';
import { workerPods, type WatchedObject } from './pods.ts';
import { judged, rule } from '../verdict.ts';

/** Credential and TLS identity are two Secrets that every Pod projects, and the delivery identity never got at the second. */
export const secretSeparatedFromIdentity = judged((run: ObservedRun) => {
  const { workerNamespace, targetSecret, identitySecret, targetDataKey } = CONTRACT_NAMES;
  const [target, identity] = [targetSecret, identitySecret].map((name) => watchedStates(run, 'Secret', workerNamespace, name));
  const holds = (states: readonly WatchedObject[] | undefined, ...contents: readonly string[]): boolean => states?.every(({ body }) => contents.includes(body.object.dataKeys?.toSorted().join() ?? '')) === true && states.length > 0;
  const pods = workerPods(run);
  const touched = requestsBy(run, DELIVERY).filter((request) => request.event.resource === 'secrets' && request.event.name === identitySecret && !isForbidden(request));
  return [
    rule('the credential Secret holds the token alone', holds(target, '', targetDataKey), target),
    rule('the identity Secret holds key and certificates, and no token', holds(identity, 'ca.crt,tls.crt,tls.key'), identity),
    rule('every Pod projects the token of the one Secret and nothing of it from the other', pods.length > 0 && pods.every((pod) => {
      const secrets = projectedSecrets(pod.object);
      return secrets.get(targetSecret)?.join() === targetDataKey && secrets.has(identitySecret) && !secrets.get(identitySecret)?.includes(targetDataKey);
    }), pods),
    rule('the delivery identity got no answer about the identity Secret', touched.length === 0, touched),
  ];
});
