import { ClusterClient, isConflict, isNotFound } from '../runtime/cluster-client.ts';
import type { ControllerContext } from '../runtime/controller.ts';
import { EventRecorder } from '../runtime/event-recorder.ts';
import { CLAIMS, NODES, PODS } from '../runtime/kinds.ts';
import { labelsMatch } from '../runtime/label-selector.ts';
import { keyOf, type ObjectCache } from '../runtime/object-cache.ts';
import type { Node, PersistentVolumeClaim, Pod } from '../runtime/objects.ts';
import { ReconcileQueue } from '../runtime/reconcile-queue.ts';
import { now } from '../runtime/timestamps.ts';
import { hasEnded } from '../pods/pod-conditions.ts';

/** Says on which node a claim's volume has to be made; written when the first Pod that uses the claim is placed. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

/** Binds Pods to the node, after the claims that wait for their first consumer are bound. */
export class Scheduler implements AsyncDisposable {
  readonly #client: ClusterClient;
  readonly #events: EventRecorder;
  readonly #queue: ReconcileQueue;
  readonly #pods: ObjectCache<Pod>;
  readonly #nodes: ObjectCache<Node>;
  readonly #claims: ObjectCache<PersistentVolumeClaim>;

  constructor(context: ControllerContext) {
    this.#client = new ClusterClient(context.api, 'system:kube-scheduler', ['system:authenticated']);
    this.#events = new EventRecorder(this.#client, 'default-scheduler');
    this.#queue = new ReconcileQueue('scheduler', (key) => this.#schedule(key), context.report);
    this.#pods = context.caches.of(PODS);
    this.#nodes = context.caches.of(NODES);
    this.#claims = context.caches.of(CLAIMS);
    this.#pods.onChange(({ object }) => this.#enqueue(object));
    this.#nodes.onChange(() => this.#pods.all().forEach((pod) => this.#enqueue(pod)));
    this.#claims.onChange(({ object }) => this.#pods.inNamespace(object.metadata.namespace).forEach((pod) => this.#enqueue(pod)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue[Symbol.asyncDispose]();
    await this.#events.settled();
  }

  #enqueue(pod: Pod): void {
    if (isWaiting(pod)) this.#queue.add(keyOf(pod));
  }

  async #schedule(key: string): Promise<void> {
    const pod = this.#pods.get(key);
    if (pod === undefined || !isWaiting(pod)) return;
    const nodes = this.#nodes.all();
    const node = nodes.find((candidate) => fits(pod, candidate));
    if (node === undefined) return this.#refuse(pod, `0/${nodes.length} nodes are available: no node is Ready, schedulable and matches the Pod's node selector.`);
    const claims = claimNames(pod).map((name) => ({ name, claim: this.#claims.find(pod.metadata.namespace, name) }));
    const missing = claims.find(({ claim }) => claim === undefined || claim.metadata.deletionTimestamp !== undefined);
    if (missing !== undefined) return this.#refuse(pod, `0/${nodes.length} nodes are available: persistentvolumeclaim "${missing.name}" not found.`);
    const unbound = claims.flatMap(({ claim }) => (claim !== undefined && claim.status?.phase !== 'Bound' ? [claim] : []));
    await Promise.all(unbound.map((claim) => this.#selectNode(claim, node)));
    if (unbound.length === 0) await this.#bind(pod, node);
  }

  /** The claim's controller makes the volume; its next change brings the Pod back here. */
  async #selectNode(claim: PersistentVolumeClaim, node: Node): Promise<void> {
    if (claim.metadata.annotations?.[SELECTED_NODE] === node.metadata.name) return;
    this.#claims.observe(await this.#client.patch(CLAIMS, claim, { metadata: { annotations: { [SELECTED_NODE]: node.metadata.name } } }));
  }

  async #bind(pod: Pod, node: Node): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    const target = { apiVersion: 'v1', kind: 'Node', name: node.metadata.name };
    try {
      await this.#client.createSubresource(PODS, namespace, name, 'binding', { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace, uid }, target });
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return;
      throw error;
    }
    this.#events.record(pod, { type: 'Normal', reason: 'Scheduled', message: `Successfully assigned ${namespace}/${name} to ${node.metadata.name}` });
  }

  async #refuse(pod: Pod, message: string): Promise<void> {
    const before = pod.status?.conditions ?? [];
    if (before.some((condition) => condition.type === 'PodScheduled' && condition.message === message)) return;
    const refused = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastProbeTime: null, lastTransitionTime: now() };
    const conditions = [...before.filter((condition) => condition.type !== 'PodScheduled'), refused];
    this.#events.record(pod, { type: 'Warning', reason: 'FailedScheduling', message });
    await this.#client.patch(PODS, pod, { status: { conditions } }, 'status');
  }
}

function isWaiting(pod: Pod): boolean {
  const isGated = (pod.spec.schedulingGates ?? []).length > 0;
  return pod.spec.nodeName === undefined && pod.metadata.deletionTimestamp === undefined && !isGated && !hasEnded(pod);
}

function fits(pod: Pod, node: Node): boolean {
  const isNodeReady = node.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
  return isNodeReady && node.spec?.unschedulable !== true && labelsMatch(pod.spec.nodeSelector ?? {}, node.metadata.labels);
}

function claimNames(pod: Pod): string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []);
}
