import type { ObservedObject } from '../observation.ts';
import { dig, listAt, numberAt, textAt, textsAt } from './fields.ts';

/** What a Pod's specification gives to its containers. */

export function containersOf(pod: ObservedObject): readonly unknown[] {
  return [...listAt(pod, 'spec', 'initContainers'), ...listAt(pod, 'spec', 'containers')];
}

function projectedSources(pod: ObservedObject): readonly unknown[] {
  return listAt(pod, 'spec', 'volumes').flatMap((volume) => listAt(volume, 'projected', 'sources'));
}

export function projectedTokenSeconds(pod: ObservedObject): readonly number[] {
  return projectedSources(pod)
    .filter((source) => dig(source, 'serviceAccountToken') !== undefined)
    .map((source) => numberAt(source, 'serviceAccountToken', 'expirationSeconds') ?? 3600);
}

export function automountIsOff(pod: ObservedObject): boolean {
  return dig(pod, 'spec', 'automountServiceAccountToken') === false;
}

export function mountsServiceAccountToken(pod: ObservedObject): boolean {
  const mountPaths = containersOf(pod).flatMap((container) => listAt(container, 'volumeMounts')).map((mount) => textAt(mount, 'mountPath') ?? '');
  return projectedTokenSeconds(pod).length > 0 || mountPaths.some((path) => path.startsWith('/var/run/secrets/kubernetes.io/serviceaccount'));
}

/** Names of the Secrets in projected volumes, with the keys that are taken of each (empty: all). */
export function projectedSecrets(pod: ObservedObject): ReadonlyMap<string, readonly string[]> {
  const secrets = projectedSources(pod).filter((source) => dig(source, 'secret') !== undefined);
  return new Map(
    secrets.map((source) => [textAt(source, 'secret', 'name') ?? '', listAt(source, 'secret', 'items').flatMap((item) => textsAt([textAt(item, 'key')]))]),
  );
}

/** Whether a container gets anything of a Secret through its environment, where every child process inherits it. */
export function readsSecretsFromEnvironment(pod: ObservedObject): boolean {
  return containersOf(pod).some(
    (container) =>
      listAt(container, 'env').some((variable) => dig(variable, 'valueFrom', 'secretKeyRef') !== undefined) ||
      listAt(container, 'envFrom').some((source) => dig(source, 'secretRef') !== undefined),
  );
}

export function claimNames(pod: ObservedObject): readonly string[] {
  return listAt(pod, 'spec', 'volumes').flatMap((volume) => textsAt([textAt(volume, 'persistentVolumeClaim', 'claimName')]));
}

export function imageNames(pod: ObservedObject): readonly string[] {
  return containersOf(pod).map((container) => textAt(container, 'image') ?? '');
}

export function firstImage(pod: ObservedObject | undefined): string | null {
  return textAt(pod, 'spec', 'containers', 0, 'image');
}
