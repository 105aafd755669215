import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectCache } from '../../controllers/runtime/object-cache.ts';
import type { EndpointSlice, Namespace, Service } from '../../controllers/runtime/objects.ts';

const CLUSTER_DOMAIN = 'cluster.local';

export interface ServiceHostsOptions {
  readonly directory: string;
  readonly services: ObjectCache<Service>;
  readonly slices: ObjectCache<EndpointSlice>;
  readonly namespaces: ObjectCache<Namespace>;
  /** What a Service without a ready Pod resolves to: connections to it are refused, as kube-proxy does. */
  readonly deadAddress: string;
}

/** What each Service name means, in one file a namespace, because the short name belongs to the reader's own. */
export class ServiceHosts implements Disposable {
  readonly #options: ServiceHostsOptions;
  readonly #written = new Map<string, string>();
  readonly #subscriptions: Disposable[];

  constructor(options: ServiceHostsOptions) {
    this.#options = options;
    mkdirSync(options.directory, { recursive: true, mode: 0o755 });
    const rewrite = (): void => this.#writeAll();
    this.#subscriptions = [options.services, options.slices, options.namespaces].map((cache) => cache.onChange(rewrite));
    this.#writeAll();
  }

  /** The file for Pods of a namespace; it exists from now on. */
  fileFor(namespace: string): string {
    if (!this.#written.has(namespace)) this.#write(namespace);
    return this.#pathOf(namespace);
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }

  #pathOf(namespace: string): string {
    return join(this.#options.directory, `${namespace}.json`);
  }

  #writeAll(): void {
    for (const namespace of this.#options.namespaces.all()) this.#write(namespace.metadata.name);
  }

  /** Written aside and renamed, so that a reader never sees half of it. */
  #write(namespace: string): void {
    const content = JSON.stringify(Object.fromEntries(this.#namesFor(namespace)));
    if (this.#written.get(namespace) === content) return;
    const path = this.#pathOf(namespace);
    writeFileSync(`${path}.new`, content, { mode: 0o644 });
    renameSync(`${path}.new`, path);
    this.#written.set(namespace, content);
  }

  #namesFor(reader: string): [string, string[]][] {
    return this.#options.services.all().flatMap((service) => {
      const { name, namespace } = service.metadata;
      const addresses = this.#addressesOf(service);
      const suffixes = [`.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.${CLUSTER_DOMAIN}`, ...(namespace === reader ? [''] : [])];
      return suffixes.map((suffix): [string, string[]] => [`${name}${suffix}`, addresses]);
    });
  }

  #addressesOf(service: Service): string[] {
    const slices = this.#options.slices.inNamespace(service.metadata.namespace);
    const ready = slices
      .filter((slice) => slice.metadata.labels?.['kubernetes.io/service-name'] === service.metadata.name)
      .flatMap((slice) => slice.endpoints ?? [])
      .filter((endpoint) => endpoint.conditions?.ready !== false)
      .flatMap((endpoint) => endpoint.addresses);
    if (ready.length > 0) return ready;
    return service.spec.clusterIP === 'None' ? [] : [this.#options.deadAddress];
  }
}
