import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StartedApiServer } from '../api-server/in-process-api.ts';
import { ClusterClient } from '../controllers/runtime/cluster-client.ts';
import { EventRecorder } from '../controllers/runtime/event-recorder.ts';
import {
  CLAIMS,
  CONFIG_MAPS,
  ENDPOINT_SLICES,
  type Kind,
  NAMESPACES,
  PODS,
  SECRETS,
  SERVICES,
  VOLUMES,
} from '../controllers/runtime/kinds.ts';
import { ObjectCache } from '../controllers/runtime/object-cache.ts';
import type { StoredObject } from '../controllers/runtime/objects.ts';
import { AddressPool } from './address-pool.ts';
import { ImageTable, type NodeImage } from './image-table.ts';
import { ServiceHosts } from './names/service-hosts.ts';
import type { NodeContext } from './node-context.ts';
import { NODE_TIMING, type NodeTiming } from './node-timing.ts';
import { PodHost } from './pod-host.ts';
import type { ProcessGroups } from './process/group-guard.ts';
import { registerNode, reportImages } from './register-node.ts';

export interface NodeAgentOptions {
  readonly apiServer: Pick<StartedApiServer, 'url' | 'api' | 'setNodeBackend'>;
  readonly nodeName: string;
  readonly kubeletVersion: string;
  /** Everything of the Pods lives below this folder; it is opened for other users to pass through, not to list. */
  readonly directory: string;
  readonly images: Readonly<Record<string, NodeImage>>;
  /** Told about every process group, so that somebody can end them if this process is killed. */
  readonly groups?: ProcessGroups;
  /** Variables that mark every process of a Pod in its environment. */
  readonly marker?: Readonly<Record<string, string>>;
  readonly timing?: Partial<NodeTiming>;
  /** By default containers run as their securityContext says when this process is root. */
  readonly canChangeUser?: boolean;
  readonly report?: (line: string) => void;
}

export interface NodeAgent extends AsyncDisposable {
  readonly nodeName: string;
  readonly nodeAddress: string;
  registerImages(images: Readonly<Record<string, NodeImage>>): Promise<void>;
  /** SIGKILL to one running container, by the id in its Pod's status. */
  killContainer(containerId: string): void;
}

/** Registers one Node and runs the Pods that are bound to it, until disposed; then nothing of them is left. */
export async function startNodeAgent(options: NodeAgentOptions): Promise<NodeAgent> {
  const { apiServer, nodeName, directory } = options;
  const client = new ClusterClient(apiServer.api, `system:node:${nodeName}`, ['system:nodes', 'system:authenticated']);
  const addresses = await AddressPool.claim();
  const disposables: Disposable[] = [];
  const cache = <T extends StoredObject>(kind: Kind<T>): ObjectCache<T> => {
    const made = new ObjectCache(client, kind);
    disposables.push(made);
    return made;
  };
  await mkdir(join(directory, 'pods'), { recursive: true });
  await chmod(directory, 0o711);
  await chmod(join(directory, 'pods'), 0o711);
  const services = cache(SERVICES);
  const hosts = new ServiceHosts({
    directory: join(directory, 'hosts'),
    services,
    slices: cache(ENDPOINT_SLICES),
    namespaces: cache(NAMESPACES),
    deadAddress: addresses.deadAddress,
  });
  const images = new ImageTable(join(directory, 'images'));
  images.register(options.images);
  const { hostname, port } = new URL(apiServer.url);
  const events = new EventRecorder(client, 'kubelet', nodeName);
  const node: NodeContext = {
    nodeName,
    directory,
    client,
    events,
    caches: {
      pods: cache(PODS),
      secrets: cache(SECRETS),
      configMaps: cache(CONFIG_MAPS),
      claims: cache(CLAIMS),
      volumes: cache(VOLUMES),
      services,
    },
    images,
    addresses,
    hosts,
    timing: { ...NODE_TIMING, ...options.timing },
    apiEndpoint: { host: hostname, port: Number(port) },
    preload: await copyPreload(directory),
    groups: options.groups ?? { add: () => undefined, drop: () => undefined },
    marker: options.marker ?? {},
    canChangeUser: options.canChangeUser ?? process.getuid?.() === 0,
    report: options.report ?? (() => undefined),
  };
  const host = new PodHost(node);
  apiServer.setNodeBackend(host);
  await registerNode(client, { name: nodeName, address: addresses.nodeAddress, kubeletVersion: options.kubeletVersion });
  await reportImages(client, nodeName, images);
  return {
    nodeName,
    nodeAddress: addresses.nodeAddress,
    killContainer: (containerId) => host.killContainer(containerId),
    async registerImages(more) {
      images.register(more);
      await reportImages(client, nodeName, images);
    },
    async [Symbol.asyncDispose]() {
      for (const disposable of [...disposables, hosts]) disposable[Symbol.dispose]();
      await host[Symbol.asyncDispose]();
      await events.settled();
      await addresses[Symbol.asyncDispose]();
    },
  };
}

/** Pods' users must be able to read it, wherever this source tree lies. */
async function copyPreload(directory: string): Promise<string> {
  const target = join(directory, 'preload.cjs');
  await copyFile(fileURLToPath(new URL('./process/preload.cjs', import.meta.url)), target);
  await chmod(target, 0o444);
  return target;
}
