import type { Container, Pod } from '../../controllers/runtime/objects.ts';

/** Who a container's processes are on this machine. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/**
 * The user of a container's securityContext; null leaves the process as what the node runs as, which is all that an
 * unprivileged node can do.
 */
export function containerUser(pod: Pod, container: Container, canChangeUser: boolean): ContainerUser | null {
  const ofPod = pod.spec.securityContext ?? {};
  const uid = container.securityContext?.runAsUser ?? ofPod.runAsUser;
  const gid = container.securityContext?.runAsGroup ?? ofPod.runAsGroup ?? 0;
  const fsGroup = ofPod.fsGroup;
  if (!canChangeUser || (uid === undefined && fsGroup === undefined && gid === 0)) return null;
  const groups = new Set([...(fsGroup === undefined ? [] : [fsGroup]), ...(ofPod.supplementalGroups ?? [])]);
  return { uid: uid ?? 0, gid, groups: [...groups] };
}

export function breaksRunAsNonRoot(pod: Pod, container: Container, user: ContainerUser | null, nodeIsRoot: boolean): boolean {
  const isRequired = container.securityContext?.runAsNonRoot ?? pod.spec.securityContext?.runAsNonRoot ?? false;
  return isRequired && nodeIsRoot && (user === null || user.uid === 0);
}
