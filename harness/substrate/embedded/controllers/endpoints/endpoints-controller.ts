import { isDeepStrictEqual } from 'node:util';
import { isAlreadyExists, isForbidden } from '../runtime/cluster-client.ts';
import { Controller, type ControllerContext } from '../runtime/controller.ts';
import { ENDPOINT_SLICES, ENDPOINTS, type Kind, PODS, SERVICES } from '../runtime/kinds.ts';
import { keyOf, type ObjectCache } from '../runtime/object-cache.ts';
import type { Endpoints, EndpointSlice, Pod, Service, StoredObject } from '../runtime/objects.ts';
import { controllerReference } from '../runtime/ownership.ts';
import { type Backend, backendsOf, portsOf } from './service-backends.ts';

type Fields = Record<string, unknown>;

/** Keeps one kind of object that tells which Pods are behind a Service. */
abstract class BackendsPublisher<T extends StoredObject> extends Controller {
  readonly #services: ObjectCache<Service>;
  readonly #pods: ObjectCache<Pod>;
  readonly #published: ObjectCache<T>;
  readonly #kind: Kind<T>;

  constructor(context: ControllerContext, name: string, kind: Kind<T>) {
    super(context, name, (key) => this.#reconcile(key));
    this.#kind = kind;
    this.#services = context.caches.of(SERVICES);
    this.#pods = context.caches.of(PODS);
    this.#published = context.caches.of(kind);
    this.#services.onChange(({ object }) => this.queue.add(keyOf(object)));
    this.#pods.onChange(({ object }) => this.#services.inNamespace(object.metadata.namespace).forEach((service) => this.queue.add(keyOf(service))));
  }

  protected abstract nameFor(service: Service): string;
  protected abstract metadataFor(service: Service): Fields;
  protected abstract contentFor(service: Service, backends: readonly Backend[]): Fields;

  async #reconcile(key: string): Promise<void> {
    const service = this.#services.get(key);
    if (service === undefined || service.metadata.deletionTimestamp !== undefined || service.spec.selector === undefined) return;
    const content = this.contentFor(service, backendsOf(service, this.#pods.inNamespace(service.metadata.namespace)));
    const published = this.#published.find(service.metadata.namespace, this.nameFor(service));
    if (published === undefined) return this.#create(service, content);
    const isCurrent = Object.entries(content).every(([field, value]) => isDeepStrictEqual((published as unknown as Fields)[field], value));
    if (!isCurrent) this.#published.observe(await this.client.replace(this.#kind, { ...published, ...content }));
  }

  async #create(service: Service, content: Fields): Promise<void> {
    const metadata = { name: this.nameFor(service), namespace: service.metadata.namespace, ...this.metadataFor(service) };
    try {
      this.#published.observe(await this.client.create(this.#kind, service.metadata.namespace, { ...content, metadata }));
    } catch (error) {
      if (!isForbidden(error) && !isAlreadyExists(error)) throw error;
    }
  }
}

function reference({ pod }: Backend): Fields {
  return { kind: 'Pod', namespace: pod.metadata.namespace, name: pod.metadata.name, uid: pod.metadata.uid };
}

export class EndpointsController extends BackendsPublisher<Endpoints> {
  constructor(context: ControllerContext) {
    super(context, 'endpoint-controller', ENDPOINTS);
  }

  protected nameFor(service: Service): string {
    return service.metadata.name;
  }

  protected metadataFor(service: Service): Fields {
    return { labels: { ...service.metadata.labels, 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' }, ownerReferences: [controllerReference(service)] };
  }

  protected contentFor(service: Service, backends: readonly Backend[]): Fields {
    const alive = backends.filter((backend) => !backend.isTerminating || backend.isReady);
    if (alive.length === 0) return { subsets: [] };
    const toAddress = (backend: Backend): Fields => ({ ip: backend.ip, nodeName: backend.pod.spec.nodeName, targetRef: reference(backend) });
    const ready = alive.filter((backend) => backend.isReady).map(toAddress);
    const notReady = alive.filter((backend) => !backend.isReady).map(toAddress);
    const addresses = { ...(ready.length > 0 ? { addresses: ready } : {}), ...(notReady.length > 0 ? { notReadyAddresses: notReady } : {}) };
    return { subsets: [{ ...addresses, ports: portsOf(service, backends) }] };
  }
}

export class EndpointSliceController extends BackendsPublisher<EndpointSlice> {
  constructor(context: ControllerContext) {
    super(context, 'endpointslice-controller', ENDPOINT_SLICES);
  }

  /** One slice is enough for one node; its name is fixed, so that it can never exist twice. */
  protected nameFor(service: Service): string {
    return `${service.metadata.name}-${service.metadata.uid.slice(0, 5)}`;
  }

  protected metadataFor(service: Service): Fields {
    const labels = {
      ...service.metadata.labels,
      'kubernetes.io/service-name': service.metadata.name,
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    };
    return { labels, ownerReferences: [controllerReference(service)] };
  }

  protected contentFor(service: Service, backends: readonly Backend[]): Fields {
    const endpoints = backends.map((backend) => ({
      addresses: [backend.ip],
      conditions: { ready: backend.isReady, serving: backend.isReady, terminating: backend.isTerminating },
      nodeName: backend.pod.spec.nodeName,
      targetRef: reference(backend),
    }));
    return { addressType: 'IPv4', endpoints, ports: portsOf(service, backends).map((port) => ({ name: '', ...port })) };
  }
}
