import { dig, listAt, textAt } from './fields.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import { imageIdOf, type WatchedObject } from './pods.ts';

/** A container as a kubelet told of it. */
export interface ToldContainer {
  readonly told: WatchedObject;
  /** As the runtime calls it; a state without one is of the last container that had one. Empty before the first. */
  readonly id: string;
  readonly imageId: string | null;
  /** How it ended; undefined while it has not. */
  readonly terminated: unknown;
}

export const toldContainers = fact((run: ObservedRun): readonly ToldContainer[] => {
  const lastIds = new Map<string, string>();
  return run.of('api.watched').flatMap((told) => {
    const { kind, metadata, ...rest } = told.body.object;
    if (kind !== 'Pod') return [];
    return ['initContainerStatuses', 'containerStatuses'].flatMap((list) => listAt(rest, 'status', list)).map((status) => {
      const terminated = dig(status, 'state', 'terminated');
      const place = `${metadata.uid}/${textAt(status, 'name')}`;
      const id = textAt(terminated, 'containerID') || textAt(status, 'containerID') || lastIds.get(place) || '';
      lastIds.set(place, id);
      return { told, id, imageId: imageIdOf(status), terminated };
    });
  });
});

/** Whether the runtime below the kubelets was listened to: on K3s it is, but for logs of the first version. */
export const runtimeTells = fact((run: ObservedRun): boolean => {
  const started = run.last('run.started')?.body;
  return started?.substrate === 'k3s' && started.logVersion !== undefined;
});
