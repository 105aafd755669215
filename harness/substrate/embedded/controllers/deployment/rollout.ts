import type { Controller } from '../runtime/controller.ts';
import { isAlreadyExists } from '../runtime/cluster-client.ts';
import { DEPLOYMENTS, REPLICA_SETS } from '../runtime/kinds.ts';
import type { ObjectCache } from '../runtime/object-cache.ts';
import type { Deployment, Pod, ReplicaSet } from '../runtime/objects.ts';
import { controllerReference } from '../runtime/ownership.ts';
import { isSameTemplate, POD_TEMPLATE_HASH, podTemplateHash } from './pod-template-hash.ts';
import { desiredReplicas } from './replica-counts.ts';
import { replicaSetAnnotations, scaleAnnotations } from './revisions.ts';

export interface RolloutCaches {
  readonly deployments: ObjectCache<Deployment>;
  readonly replicaSets: ObjectCache<ReplicaSet>;
  readonly pods: ObjectCache<Pod>;
}

const byAge = (a: ReplicaSet, b: ReplicaSet): number =>
  Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp) || (a.metadata.name < b.metadata.name ? -1 : 1);

/** One Deployment and its ReplicaSets during one reconciliation; its writes keep the caches up to date. */
export class Rollout {
  readonly deployment: Deployment;
  readonly #controller: Controller;
  readonly #caches: RolloutCaches;

  constructor(controller: Controller, caches: RolloutCaches, deployment: Deployment) {
    this.#controller = controller;
    this.#caches = caches;
    this.deployment = deployment;
  }

  get all(): ReplicaSet[] {
    return this.#caches.replicaSets.ownedBy(this.deployment.metadata.uid).toSorted(byAge);
  }

  /** The oldest one with the Deployment's template. */
  get current(): ReplicaSet | undefined {
    return this.all.find((replicaSet) => isSameTemplate(replicaSet.spec.template, this.deployment.spec.template));
  }

  get old(): ReplicaSet[] {
    const currentUid = this.current?.metadata.uid;
    return this.all.filter((replicaSet) => replicaSet.metadata.uid !== currentUid);
  }

  podsOf(replicaSet: ReplicaSet): Pod[] {
    return this.#caches.pods.ownedBy(replicaSet.metadata.uid);
  }

  async ensureCurrent(replicas: (existing: ReplicaSet[]) => number): Promise<ReplicaSet> {
    const { current, old } = this;
    const annotations = replicaSetAnnotations(this.deployment, current, old);
    if (current === undefined) return this.#create(replicas(old), annotations);
    const minReadySeconds = this.deployment.spec.minReadySeconds ?? 0;
    const isUpToDate = isEqual(annotations, current.metadata.annotations ?? {}) && (current.spec.minReadySeconds ?? 0) === minReadySeconds;
    if (isUpToDate) return current;
    return this.#replace({ ...current, metadata: { ...current.metadata, annotations }, spec: { ...current.spec, minReadySeconds } });
  }

  /** True when the number had to be changed. */
  async scale(replicaSet: ReplicaSet, replicas: number): Promise<boolean> {
    const before = desiredReplicas(replicaSet);
    if (before === replicas) return false;
    const annotations = { ...replicaSet.metadata.annotations, ...scaleAnnotations(this.deployment) };
    await this.#replace({ ...replicaSet, metadata: { ...replicaSet.metadata, annotations }, spec: { ...replicaSet.spec, replicas } });
    const direction = replicas > before ? 'up' : 'down';
    this.#scaled(`Scaled ${direction} replica set ${replicaSet.metadata.name} from ${before} to ${replicas}`);
    return true;
  }

  /** Removes ReplicaSets without Pods beyond the history limit, oldest first. */
  async trimHistory(): Promise<void> {
    const idle = this.old.filter((replicaSet) => desiredReplicas(replicaSet) === 0 && (replicaSet.status?.replicas ?? 0) === 0);
    const surplus = idle.slice(0, Math.max(0, idle.length - (this.deployment.spec.revisionHistoryLimit ?? 10)));
    for (const replicaSet of surplus) await this.#controller.client.delete(REPLICA_SETS, replicaSet);
  }

  async #create(replicas: number, annotations: Record<string, string>): Promise<ReplicaSet> {
    const { deployment } = this;
    const collisionCount = deployment.status?.collisionCount ?? 0;
    const hash = podTemplateHash(deployment.spec.template, collisionCount);
    const labels = { ...deployment.spec.template.metadata?.labels, [POD_TEMPLATE_HASH]: hash };
    const { namespace } = deployment.metadata;
    const name = `${deployment.metadata.name}-${hash}`;
    const { selector, template, minReadySeconds = 0 } = deployment.spec;
    const spec = {
      replicas,
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [POD_TEMPLATE_HASH]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    };
    const metadata = { name, namespace, labels, annotations, ownerReferences: [controllerReference(deployment)] };
    try {
      const created = this.#caches.replicaSets.observe(await this.#controller.client.create(REPLICA_SETS, namespace, { metadata, spec }));
      if (replicas > 0) this.#scaled(`Scaled up replica set ${name} from 0 to ${replicas}`);
      return created;
    } catch (error) {
      if (isAlreadyExists(error)) await this.#countCollision(collisionCount);
      throw error;
    }
  }

  async #countCollision(collisionCount: number): Promise<void> {
    const status = { ...this.deployment.status, collisionCount: collisionCount + 1 };
    this.#caches.deployments.observe(await this.#controller.client.replace(DEPLOYMENTS, { ...this.deployment, status }, 'status'));
  }

  async #replace(replicaSet: ReplicaSet): Promise<ReplicaSet> {
    return this.#caches.replicaSets.observe(await this.#controller.client.replace(REPLICA_SETS, replicaSet));
  }

  #scaled(message: string): void {
    this.#controller.events.record(this.deployment, { type: 'Normal', reason: 'ScalingReplicaSet', message });
  }
}

function isEqual(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
