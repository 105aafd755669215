import { isAlreadyExists, isForbidden, isNotFound, type Draft } from '../runtime/cluster-client.ts';
import { Controller, type ControllerContext } from '../runtime/controller.ts';
import { CONFIG_MAPS, type Kind, NAMESPACES, SERVICE_ACCOUNTS } from '../runtime/kinds.ts';
import type { ObjectCache } from '../runtime/object-cache.ts';
import type { Namespace, StoredObject } from '../runtime/objects.ts';

/** Sees to it that every namespace has one object that Pods rely on; it comes back when somebody deletes it. */
class NamespaceDefault<T extends StoredObject> extends Controller {
  readonly #kind: Kind<T>;
  readonly #objects: ObjectCache<T>;
  readonly #namespaces: ObjectCache<Namespace>;
  readonly #draft: Draft & { metadata: { name: string } };

  constructor(context: ControllerContext, name: string, kind: Kind<T>, draft: Draft & { metadata: { name: string } }) {
    super(context, name, (namespace) => this.#reconcile(namespace));
    this.#kind = kind;
    this.#draft = draft;
    this.#objects = context.caches.of(kind);
    this.#namespaces = context.caches.of(NAMESPACES);
    this.#namespaces.onChange(({ object }) => this.queue.add(object.metadata.name));
    this.#objects.onChange(({ type, object }) => {
      if (type === 'DELETED' && object.metadata.name === draft.metadata.name) this.queue.add(object.metadata.namespace ?? '');
    });
  }

  async #reconcile(name: string): Promise<void> {
    const namespace = this.#namespaces.get(`/${name}`);
    if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return;
    if (this.#objects.find(name, this.#draft.metadata.name) !== undefined) return;
    try {
      this.#objects.observe(await this.client.create(this.#kind, name, this.#draft));
    } catch (error) {
      if (!isAlreadyExists(error) && !isForbidden(error) && !isNotFound(error)) throw error;
    }
  }
}

/** Pods verify the API server with the `ca.crt` of this ConfigMap, which projected token volumes bring along. */
export function rootCaPublisher(context: ControllerContext, caPem: string): Controller {
  const description = 'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc.';
  return new NamespaceDefault(context, 'root-ca-cert-publisher', CONFIG_MAPS, {
    metadata: { name: 'kube-root-ca.crt', annotations: { 'kubernetes.io/description': description } },
    data: { 'ca.crt': caPem },
  });
}

export function defaultServiceAccounts(context: ControllerContext): Controller {
  return new NamespaceDefault(context, 'service-account-controller', SERVICE_ACCOUNTS, { metadata: { name: 'default' } });
}
