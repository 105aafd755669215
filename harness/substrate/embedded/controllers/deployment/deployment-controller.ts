import { isDeepStrictEqual } from 'node:util';
import { Controller, type ControllerContext } from '../runtime/controller.ts';
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../runtime/kinds.ts';
import { selectorMatches } from '../runtime/label-selector.ts';
import { keyOf } from '../runtime/object-cache.ts';
import type { Deployment, ReplicaSet } from '../runtime/objects.ts';
import { controllerOf, controllerReference } from '../runtime/ownership.ts';
import { deploymentStatus } from './deployment-status.ts';
import { isComplete, msUntilDeadline, withProgress } from './progress.ts';
import { recreate } from './recreate.ts';
import { deploymentAnnotationsAt, revisionOf } from './revisions.ts';
import { rollingUpdate } from './rolling-update.ts';
import { Rollout, type RolloutCaches } from './rollout.ts';

export class DeploymentController extends Controller {
  readonly #caches: RolloutCaches;

  constructor(context: ControllerContext) {
    super(context, 'deployment-controller', (key) => this.#reconcile(key));
    this.#caches = {
      deployments: context.caches.of(DEPLOYMENTS),
      replicaSets: context.caches.of(REPLICA_SETS),
      pods: context.caches.of(PODS),
    };
    this.#caches.deployments.onChange(({ object }) => this.queue.add(keyOf(object)));
    this.#caches.replicaSets.onChange(({ object }) => this.#replicaSetChanged(object));
    this.#caches.pods.onChange(({ type, object }) => {
      const owner = controllerOf(object);
      const replicaSet = owner === undefined ? undefined : this.#caches.replicaSets.find(object.metadata.namespace, owner.name);
      if (type === 'DELETED' && replicaSet !== undefined) this.#replicaSetChanged(replicaSet);
    });
  }

  #replicaSetChanged(replicaSet: ReplicaSet): void {
    const owner = controllerOf(replicaSet);
    if (owner?.kind === 'Deployment') this.queue.add(`${replicaSet.metadata.namespace}/${owner.name}`);
  }

  async #reconcile(key: string): Promise<void> {
    const deployment = this.#caches.deployments.get(key);
    if (deployment === undefined) return;
    const rollout = new Rollout(this, this.#caches, deployment);
    if (deployment.metadata.deletionTimestamp === undefined) {
      await this.#adopt(deployment);
      await this.#move(rollout);
      if (await this.#writeRevision(rollout)) return;
    }
    await this.#writeStatus(rollout);
  }

  async #adopt(deployment: Deployment): Promise<void> {
    const orphans = this.#caches.replicaSets
      .inNamespace(deployment.metadata.namespace)
      .filter((candidate) => controllerOf(candidate) === undefined && candidate.metadata.deletionTimestamp === undefined)
      .filter((candidate) => selectorMatches(deployment.spec.selector, candidate.metadata.labels));
    for (const orphan of orphans) {
      const metadata = { ...orphan.metadata, ownerReferences: [...(orphan.metadata.ownerReferences ?? []), controllerReference(deployment)] };
      this.#caches.replicaSets.observe(await this.client.replace(REPLICA_SETS, { ...orphan, metadata }));
    }
  }

  async #move(rollout: Rollout): Promise<void> {
    if (rollout.deployment.spec.paused === true) return this.#scalePaused(rollout);
    if (rollout.deployment.spec.strategy?.type === 'Recreate') return recreate(rollout);
    return rollingUpdate(rollout);
  }

  /** A paused Deployment starts no rollout, but still follows its number of replicas when one ReplicaSet has them all. */
  async #scalePaused(rollout: Rollout): Promise<void> {
    const active = rollout.all.filter((replicaSet) => (replicaSet.spec.replicas ?? 1) > 0);
    const only = active.length === 0 ? rollout.current : active.length === 1 ? active[0] : undefined;
    if (only !== undefined) await rollout.scale(only, rollout.deployment.spec.replicas ?? 1);
  }

  /** True when the Deployment was written; the status follows with the next reconciliation. */
  async #writeRevision({ deployment, current }: Rollout): Promise<boolean> {
    if (current === undefined || revisionOf(current) === revisionOf(deployment)) return false;
    const annotations = deploymentAnnotationsAt(deployment, revisionOf(current));
    this.#caches.deployments.observe(await this.client.replace(DEPLOYMENTS, { ...deployment, metadata: { ...deployment.metadata, annotations } }));
    this.queue.add(keyOf(deployment));
    return true;
  }

  async #writeStatus(rollout: Rollout): Promise<void> {
    const { deployment, all, current } = rollout;
    const status = withProgress(deployment, deploymentStatus(deployment, all, current), current);
    const deadlineMs = msUntilDeadline(deployment, status);
    if (deadlineMs !== null) this.queue.addAfter(keyOf(deployment), deadlineMs);
    if (isComplete(deployment, status)) await rollout.trimHistory();
    if (isDeepStrictEqual(status, deployment.status ?? {})) return;
    this.#caches.deployments.observe(await this.client.replace(DEPLOYMENTS, { ...deployment, status }, 'status'));
  }
}
