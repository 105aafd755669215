import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import type { ApiObject, NodeBackend } from '../../api-server/in-process-api.ts';
import { startApiServer } from '../../api-server/start-api-server.ts';
import { type Change, ClusterClient, type Draft } from '../../controllers/runtime/cluster-client.ts';
import { EVENTS, type Kind, NAMESPACES, PODS, SERVICE_ACCOUNTS } from '../../controllers/runtime/kinds.ts';
import { ObjectCache } from '../../controllers/runtime/object-cache.ts';
import type { Event, Pod, StoredObject } from '../../controllers/runtime/objects.ts';
import { type ControllerOptions, startControllers } from '../../controllers/start-controllers.ts';
import type { NodeImage } from '../image-table.ts';
import type { NodeTiming } from '../node-timing.ts';
import { type NodeAgent, startNodeAgent } from '../start-node-agent.ts';

const DEADLINE_MS = 20_000;

export interface EmbeddedNodeOptions {
  /** File contents by image and path: `{ 'app:1': { 'app/main.mjs': '…' } }`; the entry point is `node /app/main.mjs`. */
  readonly images?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly timing?: Partial<NodeTiming>;
  readonly jobBackOff?: ControllerOptions['jobBackOff'];
}

/** A whole cluster in the test's process: real API server, controllers and node agent; Pods are real processes. */
export class EmbeddedNode implements AsyncDisposable {
  readonly client: ClusterClient;
  readonly agent: NodeAgent;
  readonly directory: string;
  readonly reports: readonly string[];
  readonly backend: NodeBackend;
  readonly #stop: () => Promise<void>;
  readonly #caches = new Map<string, ObjectCache<StoredObject>>();

  private constructor(directory: string, client: ClusterClient, agent: NodeAgent, stop: () => Promise<void>, reports: string[], backend: NodeBackend) {
    this.directory = directory;
    this.client = client;
    this.agent = agent;
    this.reports = reports;
    this.#stop = stop;
    this.backend = backend;
  }

  static async start(options: EmbeddedNodeOptions = {}): Promise<EmbeddedNode> {
    const directory = await mkdtemp(join(tmpdir(), 'embedded-node-test-'));
    const reports: string[] = [];
    const report = (line: string): void => void reports.push(line);
    const apiServer = await startApiServer({ directory: join(directory, 'api') });
    const { jobBackOff } = options;
    const controllers = await startControllers({
      api: apiServer.api,
      caPem: apiServer.caPem,
      volumesDirectory: join(directory, 'node', 'storage'),
      report,
      ...(jobBackOff === undefined ? {} : { jobBackOff }),
    });
    const images: Record<string, NodeImage> = {};
    for (const [name, files] of Object.entries(options.images ?? {})) images[name] = await writeImage(join(directory, 'sources', name), files);
    const backend = Promise.withResolvers<NodeBackend>();
    const agent = await startNodeAgent({
      apiServer: {
        url: apiServer.url,
        api: apiServer.api,
        setNodeBackend(given) {
          apiServer.setNodeBackend(given);
          backend.resolve(given);
        },
      },
      nodeName: 'node-under-test',
      kubeletVersion: 'v1.34.0',
      directory: join(directory, 'node'),
      images,
      report,
      ...(options.timing === undefined ? {} : { timing: options.timing }),
    });
    const client = new ClusterClient(apiServer.api, 'test', ['system:masters']);
    const stop = async (): Promise<void> => {
      await agent[Symbol.asyncDispose]();
      await controllers[Symbol.asyncDispose]();
      await apiServer.stop();
      await rm(directory, { recursive: true, force: true });
    };
    const node = new EmbeddedNode(directory, client, agent, stop, reports, await backend.promise);
    await node.waitFor(SERVICE_ACCOUNTS, 'default', 'default', () => true);
    return node;
  }

  async namespace(name: string): Promise<string> {
    await this.client.create(NAMESPACES, null, { metadata: { name } });
    await this.waitFor(SERVICE_ACCOUNTS, name, 'default', () => true);
    return name;
  }

  async create<T extends StoredObject>(kind: Kind<T>, namespace: string, draft: Draft): Promise<T> {
    return this.client.create(kind, namespace, draft);
  }

  /** Resolves with the object as it is when the condition first holds; rejects with the last one seen. */
  async waitFor<T extends StoredObject>(kind: Kind<T>, namespace: string, name: string, holds: (object: T) => boolean): Promise<T> {
    const key = `${kind.namespaced ? namespace : ''}/${name}`;
    const seen = (cache: ObjectCache<T>): T | undefined => {
      const object = cache.get(key);
      return object !== undefined && holds(object) ? object : undefined;
    };
    return this.waitUntil(kind, seen, key);
  }

  async waitUntil<T extends StoredObject, R>(kind: Kind<T>, seen: (cache: ObjectCache<T>) => R | undefined, what: string): Promise<R> {
    const cache = this.#cacheOf(kind);
    // A watch that has only just begun tells what exists in the same turn of the event loop.
    await setImmediate();
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const look = (): void => {
      const found = seen(cache);
      if (found !== undefined) resolve(found);
    };
    const last = (): string => JSON.stringify(cache.get(what) ?? cache.all().map((object) => object.metadata.name));
    const timer = setTimeout(() => reject(new Error(`${kind.kind} ${what}: not seen within ${DEADLINE_MS} ms; last: ${last()}; reports: ${this.reports.join('\n')}`)), DEADLINE_MS);
    const subscription = cache.onChange(look);
    look();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      subscription[Symbol.dispose]();
    }
  }

  async waitForPod(namespace: string, name: string, holds: (pod: Pod) => boolean): Promise<Pod> {
    return this.waitFor(PODS, namespace, name, holds);
  }

  async waitForGone<T extends StoredObject>(kind: Kind<T>, namespace: string, name: string): Promise<void> {
    const key = `${kind.namespaced ? namespace : ''}/${name}`;
    await this.waitUntil(kind, (cache) => (cache.get(key) === undefined ? true : undefined), key);
  }

  /** The lines that a container has printed, up to its end. */
  async log(pod: Pod, container: string, previous = false): Promise<string> {
    return text(await this.backend.openLog(pod as unknown as ApiObject, { container, follow: true, previous }));
  }

  /** Resolves with the first line of a running container that begins so. */
  async waitForLine(pod: Pod, container: string, start: string): Promise<string> {
    const stream = await this.backend.openLog(pod as unknown as ApiObject, { container, follow: true, previous: false });
    const deadline = setTimeout(() => stream.destroy(new Error(`no line "${start}…" of ${container} within ${DEADLINE_MS} ms`)), DEADLINE_MS);
    try {
      for await (const line of createInterface({ input: stream })) if (line.startsWith(start)) return line;
      throw new Error(`container ${container} ended without a line "${start}…"`);
    } finally {
      clearTimeout(deadline);
      stream.destroy();
    }
  }

  /** Creates a Pod of one container `main` and waits until it runs and has printed "ready". */
  async readyPod(name: string, spec: Record<string, unknown>): Promise<{ pod: Pod; line: string }> {
    await this.create(PODS, 'default', { metadata: { name }, spec });
    const pod = await this.waitForPod('default', name, (seen) => seen.status?.containerStatuses?.[0]?.state?.running !== undefined);
    return { pod, line: await this.waitForLine(pod, 'main', 'ready') };
  }

  async waitForEvent(about: string, reason: string, part: string): Promise<void> {
    const isIt = (event: Event): boolean => event.involvedObject.name === about && event.reason === reason && (event.message ?? '').includes(part);
    await this.waitUntil(EVENTS, (cache) => cache.all().find(isIt), `${reason} of ${about}`);
  }

  /** Every version of the objects of a kind from now on. */
  record<T extends StoredObject>(kind: Kind<T>): { changes: Change<T>[] } & Disposable {
    const changes: Change<T>[] = [];
    const watch = this.client.watch(kind, (change) => void changes.push(change));
    return { changes, [Symbol.dispose]: () => watch[Symbol.dispose]() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const cache of this.#caches.values()) cache[Symbol.dispose]();
    await this.#stop();
  }

  #cacheOf<T extends StoredObject>(kind: Kind<T>): ObjectCache<T> {
    const id = `${kind.group}/${kind.plural}`;
    const known = this.#caches.get(id);
    if (known !== undefined) return known as unknown as ObjectCache<T>;
    const made = new ObjectCache(this.client, kind);
    this.#caches.set(id, made as unknown as ObjectCache<StoredObject>);
    return made;
  }
}

async function writeImage(rootDirectory: string, files: Readonly<Record<string, string>>): Promise<NodeImage> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(rootDirectory, path)), { recursive: true });
    await writeFile(join(rootDirectory, path), content);
  }
  return { rootDirectory, entrypoint: ['node', '/app/main.mjs'], env: {}, imageId: `sha256:${'0'.repeat(64)}` };
}
