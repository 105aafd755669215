import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeOwnerFile } from '../../run/owner-file.ts';
import { type LocalPostgres, startLocalPostgres } from '../../database/local-server.ts';
import { startApiServer } from './api-server/start-api-server.ts';
import { startControllers } from './controllers/start-controllers.ts';
import { GroupGuard } from './node-agent/process/group-guard.ts';
import { killMarked } from './node-agent/process/marked-processes.ts';
import { type NodeAgent, startNodeAgent } from './node-agent/start-node-agent.ts';
import { prepareFolders, type SupervisorFolders } from './supervisor-folders.ts';
import type { Order, PostgresFacts, PostgresOptions, SupervisorFacts, SupervisorOptions } from './supervisor-protocol.ts';

const KUBERNETES_VERSION = 'v1.34.3+embedded';
const NODE_NAME = 'embedded-node';
const MARKER = 'QL3_EMBEDDED_RUN';

interface Cluster {
  readonly facts: Omit<SupervisorFacts, 'postgres' | 'startedInMs'>;
  readonly agent: NodeAgent;
}

/** API server, controllers, node agent and PostgreSQL in and under this process. Whatever was started is ended by dispose. */
export class SupervisorHost implements AsyncDisposable {
  readonly facts: SupervisorFacts;
  readonly #releases: AsyncDisposableStack;
  readonly #agent: NodeAgent;
  readonly #postgres: LocalPostgres | null;

  private constructor(facts: SupervisorFacts, releases: AsyncDisposableStack, agent: NodeAgent, postgres: LocalPostgres | null) {
    this.facts = facts;
    this.#releases = releases;
    this.#agent = agent;
    this.#postgres = postgres;
  }

  /** On a failure everything that was started has been ended. */
  static async start(options: SupervisorOptions, report: (line: string) => void, signal?: AbortSignal): Promise<SupervisorHost> {
    await using releases = new AsyncDisposableStack();
    const folders = await prepareFolders(options.directory, process.getuid?.() === 0);
    const runId = options.runId ?? randomUUID();
    for (const folder of folders.disposable) writeOwnerFile(folder, { runId, marker: `${MARKER}=${runId}` });
    const guard = releases.use(new GroupGuard({ marker: `${MARKER}=${runId}`, folders: folders.disposable }));
    for (const folder of folders.disposable) releases.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    // After the node agent: whatever has escaped the end of its container ends here, before its folder goes.
    releases.defer(() => void killMarked(`${MARKER}=${runId}`));
    const startedInMs: Record<string, number> = {};
    // Both are awaited to the end, even when one fails: only then is everything on the stack that has to be released.
    const [cluster, postgres] = await Promise.allSettled([
      timed(startedInMs, 'cluster', startCluster(options, folders, { guard, marker: { [MARKER]: runId } }, releases, report)),
      timed(startedInMs, 'postgres', startPostgres(options.postgres, folders, { runId, signal }, releases)),
    ]);
    if (cluster.status === 'rejected') throw cluster.reason;
    if (postgres.status === 'rejected') throw postgres.reason;
    const facts = { ...cluster.value.facts, postgres: toFacts(postgres.value), startedInMs };
    return new SupervisorHost(facts, releases.move(), cluster.value.agent, postgres.value);
  }

  /** Resolves when the database has ended though nobody ordered it. */
  get databaseLost(): Promise<number | null> {
    return this.#postgres?.lost ?? new Promise(() => undefined);
  }

  async perform(order: Order): Promise<void> {
    switch (order.type) {
      case 'register-images':
        return this.#agent.registerImages(order.images);
      case 'kill-container':
        return this.#agent.killContainer(order.containerId);
      case 'interrupt-postgres':
        return this.#database().interrupt(order.how);
      case 'resume-postgres':
        return this.#database().resume();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#releases.disposeAsync();
  }

  #database(): LocalPostgres {
    if (this.#postgres === null) throw new Error('this cluster was started without a database');
    return this.#postgres;
  }
}

interface GuardedBy {
  readonly guard: GroupGuard;
  readonly marker: Readonly<Record<string, string>>;
}

async function startCluster(
  options: SupervisorOptions,
  folders: SupervisorFolders,
  { guard, marker }: GuardedBy,
  releases: AsyncDisposableStack,
  report: (line: string) => void,
): Promise<Cluster> {
  const { nodeName = NODE_NAME, advertisedVersion = KUBERNETES_VERSION, jobBackOff, timing } = options;
  const apiServer = await startApiServer({ directory: join(folders.root, 'api'), advertisedVersion });
  releases.defer(() => apiServer.stop());
  const { api, caPem } = apiServer;
  const volumesDirectory = join(folders.node, 'storage');
  releases.use(await startControllers({ api, caPem, volumesDirectory, report, ...(jobBackOff === undefined ? {} : { jobBackOff }) }));
  const agent = await startNodeAgent({
    apiServer,
    nodeName,
    kubeletVersion: advertisedVersion,
    directory: folders.node,
    images: options.images,
    groups: guard,
    marker,
    report,
    ...(timing === undefined ? {} : { timing }),
  });
  releases.use(agent);
  const kubeconfigPath = join(folders.root, 'kubeconfig.yaml');
  await writeFile(kubeconfigPath, apiServer.adminKubeconfig(), { mode: 0o600, flag: 'wx' });
  const facts = {
    kubeconfigPath,
    caPem,
    apiUrl: apiServer.url,
    apiPort: Number(new URL(apiServer.url).port),
    auditLogPath: apiServer.auditLogPath,
    nodeName,
    nodeAddress: agent.nodeAddress,
    versions: { kubernetes: advertisedVersion, node: process.version },
  };
  return { facts, agent };
}

async function startPostgres(options: PostgresOptions | null, folders: SupervisorFolders, of: { readonly runId: string; readonly signal: AbortSignal | undefined }, releases: AsyncDisposableStack): Promise<LocalPostgres | null> {
  if (options === null) return null;
  // Where its own user gets through, and where the guard removes it when it is still being made.
  const directory = join(folders.node, 'postgres');
  await mkdir(directory, { mode: 0o711 });
  return releases.use(await startLocalPostgres({ directory, ...options, runId: of.runId, ...(of.signal === undefined ? {} : { signal: of.signal }) }));
}

function toFacts(postgres: LocalPostgres | null): PostgresFacts | null {
  if (postgres === null) return null;
  const { host, port, superuser, tls, logFile } = postgres;
  return { host, port, superuser, tls, logFile };
}

async function timed<T>(startedInMs: Record<string, number>, name: string, work: Promise<T>): Promise<T> {
  const from = performance.now();
  const result = await work;
  startedInMs[name] = Math.round(performance.now() - from);
  return result;
}
