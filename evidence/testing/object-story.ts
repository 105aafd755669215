import { ANNOTATIONS } from '../annotations.ts';
import { CONTRACT_NAMES as NAMES } from '../contract-names.ts';
import type { ObservedObject } from '../observation.ts';
import { imageIdOf, imageNameOf } from './platform-story.ts';
import { hex, type Story } from './story.ts';

const ADMINISTRATOR = 'system:admin';
const NODE = 'system:node:ql3-node';
const CONTROLLERS = 'system:kube-controller-manager';
export const CONTROLLER = 'system:serviceaccount:kube-system:replicaset-controller';

type Component = 'worker' | 'control' | 'admin';
export interface Names {
  readonly workerNamespace: string;
  readonly deployment: string;
  readonly targetSecret: string;
  readonly identitySecret: string;
  readonly claim: string;
}

/** One object of the API that lives through several states, each shown by the watch. */
export class WatchedThing {
  readonly #story: Story;
  #object: ObservedObject;

  /** `name` is that of the request: a controller leaves it to the API server. Null: its request was told already. */
  constructor(story: Story, object: Omit<ObservedObject, 'metadata'> & { metadata: object }, creation: { readonly user: string; readonly name?: null } | null = { user: ADMINISTRATOR }) {
    this.#story = story;
    const generation = object.kind === 'Deployment' ? { generation: 1 } : {};
    this.#object = { ...object, metadata: { ...object.metadata, ...generation, uid: story.uuid(), resourceVersion: story.resourceVersion() } } as ObservedObject;
    if (creation !== null) story.audit({ ...this.asked, name: this.name, ...creation, verb: 'create', code: 201 });
    this.#object = merge(this.#object, { metadata: { creationTimestamp: story.nowSecond } }) as ObservedObject;
    story.tell('api.watched', { type: 'ADDED', object: this.#object });
  }

  get object(): ObservedObject {
    return this.#object;
  }
  get uid(): string {
    return this.#object.metadata.uid;
  }
  get name(): string {
    return this.#object.metadata.name;
  }
  get resourceVersion(): string {
    return this.#object.metadata.resourceVersion;
  }
  /** How a request names the collection. */
  get asked(): { readonly resource: string; readonly apiGroup: string; readonly namespace: string } {
    const { apiVersion, kind, metadata: { namespace = '' } } = this.#object;
    return { resource: `${kind.toLowerCase()}s`, apiGroup: apiVersion.split('/').at(-2) ?? '', namespace };
  }

  /** As the administrator changes an object: under the resourceVersion that was read. */
  change(change: object): void {
    this.#story.audit({ ...this.asked, verb: 'update', user: ADMINISTRATOR, name: this.name, resourceVersion: this.resourceVersion });
    this.become(change);
  }

  /** As a controller or the node tells how it is. */
  report(change: object): void {
    const { kind } = this.#object;
    this.#story.audit({ ...this.asked, verb: 'patch', user: kind === 'Pod' ? NODE : CONTROLLERS, subresource: 'status', name: this.name });
    this.become(change);
  }

  /** Its request was told already. */
  become(change: object): void {
    const { generation } = this.#object.metadata;
    this.#object = merge(this.#object, { ...change }) as ObservedObject;
    if (generation !== undefined && Object.hasOwn(change, 'spec')) this.#object = merge(this.#object, { metadata: { generation: generation + 1 } }) as ObservedObject;
    this.#object = merge(this.#object, { metadata: { resourceVersion: this.#story.resourceVersion() } }) as ObservedObject;
    this.#story.tell('api.watched', { type: 'MODIFIED', object: this.#object });
  }

  vanish(): void {
    this.#story.tell('api.watched', { type: 'DELETED', object: this.#object });
  }
}

function merge(old: unknown, change: unknown): unknown {
  if (typeof old !== 'object' || old === null || Array.isArray(old) || typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const merged: Record<string, unknown> = { ...old };
  for (const [key, value] of Object.entries(change)) merged[key] = merge(merged[key], value);
  return merged;
}

export function workerTemplate(names: Names, annotations: Readonly<Record<string, string>>, image: string): object {
  return { metadata: { labels: { 'app.kubernetes.io/component': 'worker' }, annotations }, spec: workerSpec(names, image) };
}

function workerSpec(names: Names, image: string): object {
  return {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 360,
    nodeName: 'ql3-node',
    initContainers: [{ name: 'authority', image, volumeMounts: [{ name: 'authority', mountPath: '/source' }] }],
    containers: [{ name: 'worker', image, env: [{ name: 'QL3_WORKER_ID', value: NAMES.workerId }], volumeMounts: [{ name: 'state', mountPath: '/state' }] }],
    volumes: [
      {
        name: 'authority',
        projected: {
          sources: [
            { secret: { name: names.identitySecret, items: ['ca.crt', 'tls.key', 'tls.crt'].map((key) => ({ key, path: key })) } },
            { secret: { name: names.targetSecret, items: [{ key: NAMES.targetDataKey, path: NAMES.targetDataKey }] } },
          ],
        },
      },
      { name: 'state', persistentVolumeClaim: { claimName: names.claim } },
    ],
  };
}

export class WatchedPod extends WatchedThing {
  readonly #story: Story;
  readonly #component: Component;
  #startedAt = '';

  constructor(story: Story, component: Component, metadata: Readonly<Record<string, unknown>>, spec: object) {
    super(story, { apiVersion: 'v1', kind: 'Pod', metadata, spec, status: { phase: 'Pending' } }, metadata['ownerReferences'] === undefined ? undefined : { user: CONTROLLER, name: null });
    this.#story = story;
    this.#component = component;
    for (const { kind, name } of this.object.metadata.ownerReferences ?? []) if (kind === 'ReplicaSet') story.audit({ verb: 'create', user: CONTROLLERS, resource: 'replicasets', apiGroup: 'apps', namespace: this.asked.namespace, name, code: 201 });
    story.audit({ ...this.asked, verb: 'create', user: 'system:kube-scheduler', subresource: 'binding', name: this.name, code: 201 });
  }

  run(podIP = '10.42.0.9'): void {
    this.#startedAt = this.#story.nowSecond;
    this.report({ status: { phase: 'Running', podIP, conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: this.#statuses({ running: { startedAt: this.#story.nowSecond } }) } });
  }

  /** Somebody asks for its end: it has so many seconds. */
  leave(user: string, deletionGracePeriodSeconds: number): void {
    const { resource, namespace } = this.asked;
    this.#story.audit({ verb: 'delete', user, resource, namespace, name: this.name });
    this.become({ metadata: { deletionTimestamp: this.#story.nowSecond, deletionGracePeriodSeconds } });
  }

  /** The kubelet reports the end of the container; then the Pod leaves the API, as after any orderly deletion. */
  end(finishedAt: string, exitCode = 0): void {
    this.#story.tell('container.exited', { containerId: this.#containerId, exitCode, exitedAt: this.#story.nowIso });
    this.report({ status: { phase: 'Succeeded', containerStatuses: this.#statuses({ terminated: { exitCode, startedAt: this.#startedAt, finishedAt, reason: 'Completed' } }) } });
  }

  get #containerId(): string {
    return `containerd://${hex(this.uid)}`;
  }

  #statuses(state: object): object[] {
    return [{ name: this.#component, containerID: this.#containerId, restartCount: 0, imageID: `docker.io/library/import@${imageIdOf(this.#component)}`, image: imageNameOf(this.#component), state }];
  }
}

/** A Pod that the Deployment's controller makes from its current template. */
export function podOf(story: Story, deployment: WatchedThing, names: Names): WatchedPod {
  const { template } = deployment.object['spec'] as { template: { metadata: { annotations: Record<string, string>; labels: object }; spec: object } };
  const suffix = story.resourceVersion();
  return new WatchedPod(
    story,
    'worker',
    {
      name: `${names.deployment}-${suffix}`,
      namespace: names.workerNamespace,
      labels: template.metadata.labels,
      annotations: template.metadata.annotations,
      ownerReferences: [{ kind: 'ReplicaSet', name: `${names.deployment}-6b${suffix}`, uid: story.uuid() }],
    },
    template.spec,
  );
}

export interface Publication {
  readonly deliveryId: string;
  readonly credentialId: string;
  readonly generation: string;
  readonly tokenDigest: string;
  readonly publicationDigest: string;
}

export function secretAnnotations({ deliveryId, generation, tokenDigest }: Publication): Record<string, string> {
  return { [ANNOTATIONS.deliveryId]: deliveryId, [ANNOTATIONS.generation]: generation, [ANNOTATIONS.tokenDigest]: tokenDigest };
}

export function templateAnnotations(publication: Publication): Record<string, string> {
  return { ...secretAnnotations(publication), [ANNOTATIONS.credentialId]: publication.credentialId, [ANNOTATIONS.publicationDigest]: publication.publicationDigest };
}
