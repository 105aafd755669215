import { readFile, writeFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import type { Component } from '../../../evidence/observation.ts';
import { bundleComponent, type ImageBundle } from '../../images/bundle.ts';
import { COMPONENTS } from '../../images/components.ts';
import { imageBuiltFact } from '../../images/image-facts.ts';
import { readSourceFiles, type SourceFiles } from '../../images/source-files.ts';
import { Authority } from '../../pki/authority.ts';
import { HarnessError } from '../../run/errors.ts';
import { withoutSecrets } from '../../run/without-secrets.ts';
import type { ClusterAccess, ContainerExit, DatabaseAccess, PlatformFact, PlatformLog, RunnableImage, SourceTree, StartContext, StartedSubstrate, Substrate } from '../substrate.ts';
import { lastBytes, MOST_LOG_BYTES } from '../log-text.ts';
import { checkMachine } from './preflight.ts';
import { startSupervisor, type Supervisor } from './supervisor.ts';

const COMPONENT_NAMES = Object.keys(COMPONENTS) as Component[];
const DATABASE = 'postgres';

/** One machine, no Docker: an API server, controllers and a node of this repository, real PostgreSQL, the product's real processes. */
export class EmbeddedSubstrate implements Substrate {
  readonly kind = 'embedded';
  readonly #meet: (supervisor: Supervisor) => void;

  /** `meet` is shown the process that runs cluster and database, once it does: who provokes faults has to reach it. */
  constructor({ meet = () => undefined }: { readonly meet?: (supervisor: Supervisor) => void } = {}) {
    this.#meet = meet;
  }

  async start(context: StartContext): Promise<StartedSubstrate> {
    const { directory, spans, signal, releasers } = context;
    await checkMachine();
    const authority = await Authority.create('ql3 rollout database');
    const identity = await authority.issueServer('localhost', { dns: ['localhost'], ip: ['127.0.0.1'] });
    const supervisor = spans.measure('embedded: cluster and database start', () =>
      startSupervisor(
        { directory: join(directory, 'cluster'), runId: context.runId, images: {}, postgres: { tls: { certPem: identity.certificatePem, keyPem: identity.privateKeyPem } } },
        signal,
        context.lifeline,
      ),
    );
    supervisor.then(this.#meet, () => undefined);
    // One that is still starting when the run ends has been told so by the signal, and has ended when its start is settled.
    releasers.add('embedded cluster', async () => void (await (await supervisor.catch(() => null))?.stop()));
    const built = spans.measure('embedded: bundle images', () => bundleImages(context));
    releasers.add('image bundles', async () => void (await built.catch(() => null)));
    return new StartedEmbeddedSubstrate(context, supervisor, built, authority.certificatePem);
  }
}

interface BuiltImages {
  readonly files: SourceFiles;
  readonly bundles: readonly ImageBundle[];
}

async function bundleImages({ source, directory, signal }: StartContext): Promise<BuiltImages> {
  const files = await readSourceFiles(source.directory, signal);
  const bundles = await Promise.all(COMPONENT_NAMES.map((component) => bundleComponent(component, { directory: source.directory, files }, join(directory, 'images', component))));
  return { files, bundles };
}

class StartedEmbeddedSubstrate implements StartedSubstrate {
  readonly kind = 'embedded';
  /** Policies are stored and not enforced: what one would refuse cannot be tried here. */
  readonly enforcesNetworkPolicy = false;
  readonly cluster: Promise<ClusterAccess>;
  readonly ready: Promise<void>;
  readonly database: Promise<DatabaseAccess>;
  readonly images: Promise<Readonly<Record<Component, RunnableImage>>>;
  readonly died: Promise<never>;
  readonly #supervisor: Promise<Supervisor>;
  readonly #built: Promise<BuiltImages>;
  readonly #source: SourceTree;
  readonly #runId: string;

  constructor(context: StartContext, supervisor: Promise<Supervisor>, built: Promise<BuiltImages>, databaseCaPem: string) {
    this.#runId = context.runId;
    this.#source = context.source;
    this.#supervisor = supervisor;
    this.#built = built;
    this.cluster = supervisor.then((started) => toClusterAccess(started, this.#runId));
    this.ready = supervisor.then(() => undefined);
    this.database = supervisor.then((started) => toDatabaseAccess(started, databaseCaPem));
    this.images = this.#registerImages();
    this.died = supervisor.then(async (started) => {
      const end = await Promise.race([started.exited, started.databaseLost]);
      if (end === null || typeof end === 'number') throw new HarnessError('QL3_PLATFORM_DIED', `expected PostgreSQL to live as long as the run, its process ended (exit code ${end ?? 'unknown'})`);
      const { code, signal, lastLines } = end;
      throw new HarnessError('QL3_PLATFORM_DIED', `expected the embedded cluster to live as long as the run, its process ended (code ${code}, signal ${signal}); its last lines: ${lastLines.slice(-5).join(' | ') || 'none'}`);
    });
    // each is awaited by whoever needs it; until then a failure must not end the process
    for (const promise of [this.cluster, this.ready, this.database, this.images, this.died]) promise.catch(() => undefined);
  }

  async platformFacts(): Promise<readonly PlatformFact[]> {
    const { files, bundles } = await this.#built;
    return [
      { kind: 'platform.cluster', witness: 'harness', subject: 'cluster', body: { image: null, imageDigest: null, imageId: null } },
      { kind: 'platform.database-container', witness: 'harness', subject: 'database', body: { image: null, imageDigest: null, imageId: null, architecture: arch() === 'x64' ? 'amd64' : arch() } },
      ...bundles.map(({ component, contentId }): PlatformFact => ({ kind: 'image.on-node', witness: 'node', subject: `images/${component}`, body: { component, names: [this.#nameOf(component)], imageId: contentId } })),
      ...bundles.map(({ component, contentId }) =>
        imageBuiltFact(
          component,
          {
            name: this.#nameOf(component),
            imageId: contentId,
            sourceRevision: this.#source.revision,
            treeDigest: files.treeDigest,
            baseImage: null,
            baseImageId: null,
            dockerfileDigest: null,
            lockFileDigest: files.lockFileDigest,
          },
          'harness',
        ),
      ),
    ];
  }

  async reachFacts(): Promise<readonly PlatformFact[]> {
    return [];
  }

  async readAuditLog(): Promise<string> {
    return await readFile((await this.#supervisor).facts.auditLogPath, 'utf8');
  }

  /** The node agent starts the processes itself: there is no runtime below it that could be asked. */
  async containerExits(): Promise<readonly ContainerExit[]> {
    return [];
  }

  /** Its node runs bundles and no images. */
  async closingFacts(): Promise<readonly PlatformFact[]> {
    return [];
  }

  /** Its parts are processes of this machine: what they say of a failure goes to the failure's folder. */
  async *platformLogs(): AsyncGenerator<PlatformLog> {
    const supervisor = await this.#supervisor;
    const { postgres } = supervisor.facts;
    const own = (text: string): Uint8Array => lastBytes(withoutSecrets(text, [postgres?.superuser.password ?? '']), MOST_LOG_BYTES);
    yield { name: 'embedded-cluster.log', bytes: own(supervisor.log) };
    if (postgres !== null) yield { name: 'postgres.log', bytes: own(await readFile(postgres.logFile, 'utf8').catch((error: Error) => `(the log could not be read: ${error.message})\n`)) };
  }

  async killContainer(containerId: string): Promise<void> {
    await (await this.#supervisor).killContainer(containerId);
  }

  async collectFailure(directory: string): Promise<void> {
    for await (const { name, bytes } of this.platformLogs()) await writeFile(join(directory, name), bytes, { mode: 0o600 });
    await writeFile(join(directory, 'audit.jsonl'), await this.readAuditLog(), { mode: 0o600 });
  }

  async #registerImages(): Promise<Readonly<Record<Component, RunnableImage>>> {
    const [supervisor, { bundles }] = await Promise.all([this.#supervisor, this.#built]);
    const table = bundles.map((bundle) => [this.#nameOf(bundle.component), { rootDirectory: bundle.rootDirectory, entrypoint: [], env: {}, imageId: bundle.contentId }] as const);
    await supervisor.registerImages(Object.fromEntries(table));
    return Object.fromEntries(bundles.map(({ component, contentId }) => [component, { component, name: this.#nameOf(component), imageId: contentId }])) as Record<Component, RunnableImage>;
  }

  #nameOf(component: Component): string {
    return `${COMPONENTS[component].repository}:${this.#runId}`;
  }
}

function toClusterAccess({ facts }: Supervisor, runId: string): ClusterAccess {
  return {
    kubeconfigPath: facts.kubeconfigPath,
    clusterIdentity: `embedded/${runId}`,
    apiServer: { serviceCidr: '127.0.0.1/32', servicePort: facts.apiPort, backendCidr: '127.0.0.1/32', backendPort: facts.apiPort },
  };
}

function toDatabaseAccess({ facts }: Supervisor, caPem: string): DatabaseAccess {
  if (facts.postgres === null) throw new HarnessError('QL3_DEFECT', 'expected the embedded cluster to have started PostgreSQL');
  const { host, port, superuser } = facts.postgres;
  return { host, port, database: DATABASE, superuser, caPem, fromPods: { host, port, cidr: `${host}/32` } };
}
