import { isDeepStrictEqual } from 'node:util';
import { Controller, type ControllerContext } from '../runtime/controller.ts';
import { PODS, REPLICA_SETS } from '../runtime/kinds.ts';
import { selectorMatches } from '../runtime/label-selector.ts';
import { keyOf, type ObjectCache } from '../runtime/object-cache.ts';
import type { Pod, ReplicaSet } from '../runtime/objects.ts';
import { controllerOf, controllerReference } from '../runtime/ownership.ts';
import { isActive } from '../pods/pod-conditions.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { byDeletionOrder } from './deletion-order.ts';
import { msUntilAvailable, replicaSetStatus } from './replica-set-status.ts';

/** Keeps as many Pods as the ReplicaSet asks for. Pods that are being deleted or have ended do not count. */
export class ReplicaSetController extends Controller {
  readonly #replicaSets: ObjectCache<ReplicaSet>;
  readonly #pods: ObjectCache<Pod>;

  constructor(context: ControllerContext) {
    super(context, 'replicaset-controller', (key) => this.#reconcile(key));
    this.#replicaSets = context.caches.of(REPLICA_SETS);
    this.#pods = context.caches.of(PODS);
    this.#replicaSets.onChange(({ object }) => this.queue.add(keyOf(object)));
    this.#pods.onChange(({ object }) => this.#podChanged(object));
  }

  #podChanged(pod: Pod): void {
    const owner = controllerOf(pod);
    if (owner?.kind === 'ReplicaSet') this.queue.add(`${pod.metadata.namespace}/${owner.name}`);
    if (owner !== undefined) return;
    for (const candidate of this.#replicaSets.inNamespace(pod.metadata.namespace)) {
      if (selectorMatches(candidate.spec.selector, pod.metadata.labels)) this.queue.add(keyOf(candidate));
    }
  }

  async #reconcile(key: string): Promise<void> {
    const replicaSet = this.#replicaSets.get(key);
    if (replicaSet === undefined) return;
    if (replicaSet.metadata.deletionTimestamp === undefined) {
      await this.#adopt(replicaSet);
      await this.#scale(replicaSet);
    }
    await this.#writeStatus(replicaSet);
  }

  #activePods(replicaSet: ReplicaSet): Pod[] {
    return this.#pods.ownedBy(replicaSet.metadata.uid).filter(isActive);
  }

  async #adopt(replicaSet: ReplicaSet): Promise<void> {
    const orphans = this.#pods
      .inNamespace(replicaSet.metadata.namespace)
      .filter((pod) => isActive(pod) && controllerOf(pod) === undefined && selectorMatches(replicaSet.spec.selector, pod.metadata.labels));
    for (const pod of orphans) {
      const ownerReferences = [...(pod.metadata.ownerReferences ?? []), controllerReference(replicaSet)];
      const patch = { metadata: { uid: pod.metadata.uid, resourceVersion: pod.metadata.resourceVersion, ownerReferences } };
      this.#pods.observe(await this.client.patch(PODS, pod, patch));
    }
  }

  async #scale(replicaSet: ReplicaSet): Promise<void> {
    const active = this.#activePods(replicaSet);
    const missing = (replicaSet.spec.replicas ?? 1) - active.length;
    if (missing > 0) await Promise.all(Array.from({ length: missing }, () => this.#createPod(replicaSet)));
    if (missing < 0) await Promise.all(active.toSorted(byDeletionOrder).slice(0, -missing).map((pod) => this.#deletePod(replicaSet, pod)));
  }

  async #createPod(replicaSet: ReplicaSet): Promise<void> {
    const { namespace } = replicaSet.metadata;
    try {
      const pod = await this.client.create(PODS, namespace, podFromTemplate(replicaSet, replicaSet.spec.template));
      this.#pods.observe(pod);
      this.events.record(replicaSet, { type: 'Normal', reason: 'SuccessfulCreate', message: `Created pod: ${pod.metadata.name}` });
    } catch (error) {
      this.events.record(replicaSet, { type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${(error as Error).message}` });
      throw error;
    }
  }

  async #deletePod(replicaSet: ReplicaSet, pod: Pod): Promise<void> {
    await this.client.delete(PODS, pod);
    this.events.record(replicaSet, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${pod.metadata.name}` });
  }

  async #writeStatus(replicaSet: ReplicaSet): Promise<void> {
    const pods = this.#activePods(replicaSet);
    const status = replicaSetStatus(replicaSet, pods);
    const waitMs = msUntilAvailable(replicaSet, pods);
    if (waitMs !== null) this.queue.addAfter(keyOf(replicaSet), waitMs);
    if (isDeepStrictEqual(status, replicaSet.status ?? {})) return;
    this.#replicaSets.observe(await this.client.replace(REPLICA_SETS, { ...replicaSet, status }, 'status'));
  }
}
