import type Docker from 'dockerode';
import type { Component } from '../../../evidence/observation.ts';
import type { PullPolicy, ResolvedImage } from '../../images/resolve-image.ts';
import { Authority } from '../../pki/authority.ts';
import type { ClusterAccess, RunnableImage, StartContext, StartedSubstrate, Substrate } from '../substrate.ts';
import { startClusterContainer } from './cluster-container.ts';
import { untilDeath } from './container-death.ts';
import { openDatabase, startDatabaseContainer } from './database-container.ts';
import { connectToDocker } from './docker-connection.ts';
import { NodeEvents } from './node-events.ts';
import { importImages, nodeName, openArchive, untilRuntimeAnswers, type NodeImage } from './node-images.ts';
import { ownImagesInStore, resolvePlatformImage, usesPinsOnly } from './platform-images.ts';
import { checkEngine, type EngineFacts } from './preflight.ts';
import { buildProductImages, type ProductImage } from './product-images.ts';
import type { ClusterDeadlines } from './run-cluster.ts';
import { labelsOfRun, type Labels } from './run-labels.ts';
import { clusterContainerOf, databaseContainerOf, networkOf } from './run-names.ts';
import { RunRemoval } from './run-removal.ts';
import { StartedK3s } from './started-k3s.ts';
import { SubstrateError } from './substrate-error.ts';

export interface K3sOptions {
  readonly pull: PullPolicy;
  readonly keepOnFailure: boolean;
  readonly deadlines?: ClusterDeadlines;
}

/** K3s and PostgreSQL in Docker, the images built by it: the release path when every image is the pinned one. */
export class K3sSubstrate implements Substrate {
  readonly kind = 'k3s';
  readonly #options: K3sOptions;

  constructor(options: K3sOptions) {
    this.#options = options;
  }

  async start(context: StartContext): Promise<StartedSubstrate> {
    if (usesPinsOnly() && !context.source.clean) {
      throw new SubstrateError('TREE_DIRTY', 'expected a clean tree for release evidence: commit or remove what `git status` shows, or run `npx ql3-evidence rehearse`');
    }
    const connection = await connectToDocker();
    const engine = await checkEngine(connection, this.#options.pull);
    context.say(`Docker Engine ${connection.engineVersion} at ${connection.endpoint.host}`);
    const { docker } = connection;
    const labels = labelsOfRun(context.runId);
    const removal = new RunRemoval(docker, context, this.#options.keepOnFailure);
    context.releasers.add('containers, network, volumes and images in Docker', () => removal.release());
    const network = networkOf(context.runId);
    await docker.createNetwork({ Name: network, Driver: 'bridge', Labels: { ...labels }, CheckDuplicate: true });
    const { started, isUnderWay } = launch(docker, context, { engine, labels, network, removal, options: this.#options });
    await isUnderWay;
    return started;
  }
}

interface Launch {
  readonly engine: EngineFacts;
  readonly labels: Labels;
  readonly network: string;
  readonly removal: RunRemoval;
  readonly options: K3sOptions;
}

interface Launched {
  readonly started: StartedSubstrate;
  /** Settles, and never rejects, when both containers boot or one of them cannot: what this process computes itself comes after. */
  readonly isUnderWay: Promise<void>;
}

/** Everything side by side; each part waits for what it needs and for nothing else. */
function launch(docker: Docker, run: StartContext, { engine, labels, network, removal, options: { pull, deadlines } }: Launch): Launched {
  const stopping = new AbortController();
  const context = { ...run, signal: AbortSignal.any([run.signal, stopping.signal]) };
  const { spans, signal } = context;
  const [clusterImage, databaseImage, base] = (['k3s', 'postgres', 'node'] as const).map((image) => spans.measure(`have the ${image} image`, () => resolvePlatformImage(docker, image, pull, signal))) as [Promise<ResolvedImage>, Promise<ResolvedImage>, Promise<ResolvedImage>];
  const clusterContainer = clusterImage.then((image) => spans.measure('start the cluster', () => startClusterContainer(docker, { name: clusterContainerOf(run.runId), image, network, engine, labels }, context)));
  const { promise: cluster, resolve: onAccess, reject: onNone } = Promise.withResolvers<ClusterAccess>();
  const ready = clusterContainer.then((container) => spans.measure('cluster ready', async () => {
    const { openCluster } = await import('./run-cluster.ts'); // with the Kubernetes client, which takes its time: the cluster boots meanwhile
    await openCluster(container, { ...context, deadlines, onAccess });
  }));
  ready.catch(onNone);
  const { opened, container: databaseContainer } = startDatabase(docker, context, { databaseImage, network, labels });
  const built = buildProductImages(docker, context, base, labels);
  const runtime = runtimeOf(clusterContainer, docker, context);
  const events = runtime.then((container) => NodeEvents.follow(container));
  events.then((following) => context.releasers.add("the runtime's events", async () => following[Symbol.dispose]()), () => undefined);
  const images = importProductImages(docker, runtime, built, context);
  const database = opened.then(({ access }) => access);
  const reach = async () => {
    const [access, { access: server, seen: fromHost }, { worker }] = await Promise.all([cluster, opened, images]);
    return await spans.measure('a Pod reaches PostgreSQL', async () => {
      const { assertSameServer, reachFromPod } = await import('./database-reach.ts');
      const fromPod = await reachFromPod(access, server, worker, signal);
      assertSameServer(fromHost, fromPod);
      return { fromHost, fromPod };
    });
  };
  const died = Promise.race([clusterContainer.then((container) => untilDeath(container, 'the cluster', stopping.signal)), databaseContainer.then((container) => untilDeath(container, 'PostgreSQL', stopping.signal))]);
  const parts = {
    docker, signal, built, events, reach, clusterContainer, databaseContainer, clusterImage, databaseImage, died,
    cluster: Promise.race([cluster, died]),
    ready: Promise.race([ready, died]),
    database: Promise.race([database, died]),
    images: Promise.race([images, died]),
    onFailure: (directory: string) => removal.keep(directory),
  };
  // whatever still starts when the run ends is stopped and waited for, so that nothing appears after the removal
  const begun = [clusterContainer, databaseContainer, ready, database, images, ...Object.values(built)];
  context.releasers.add('what still starts', async () => {
    stopping.abort(new Error('the run has ended'));
    await Promise.allSettled(begun);
  });
  // each is awaited by who needs it; a failure that nobody waits for yet must not end the process
  for (const promise of [cluster, ready, opened, database, images, events, died, clusterContainer, databaseContainer, clusterImage, databaseImage, base, parts.cluster, parts.ready, parts.database, parts.images, ...Object.values(built)]) promise.catch(() => undefined);
  const nothing = (): void => undefined;
  return { started: new StartedK3s(parts), isUnderWay: Promise.all([clusterContainer, databaseContainer]).then(nothing, nothing) };
}

function startDatabase(docker: Docker, context: StartContext, { databaseImage, network, labels }: { databaseImage: Promise<ResolvedImage>; network: string; labels: Labels }) {
  const { runId, spans, signal } = context;
  const options = Promise.all([databaseImage, Authority.create('ql3 rollout database')]).then(([image, authority]) => ({ name: databaseContainerOf(runId), image, network, labels, authority }));
  const started = options.then((given) => spans.measure('start PostgreSQL', () => startDatabaseContainer(docker, given, context)));
  const opened = Promise.all([started, options]).then(([running, given]) => spans.measure('PostgreSQL ready', () => openDatabase(running, given, signal)));
  started.catch(() => undefined);
  return { opened, container: started.then(({ container }) => container) };
}

/** The node's runtime, with K3s's own images on it as far as the Engine has them. */
async function runtimeOf(clusterContainer: Promise<Docker.Container>, docker: Docker, { spans, signal }: StartContext): Promise<Docker.Container> {
  const container = await clusterContainer;
  await spans.measure("the node's runtime answers", () => untilRuntimeAnswers(container, signal));
  const own = await ownImagesInStore(docker);
  await spans.measure("put K3s's own images on the node", () => importImages(docker, container, own, signal));
  return container;
}

async function importProductImages(docker: Docker, runtime: Promise<Docker.Container>, built: Readonly<Record<Component, Promise<ProductImage>>>, { spans, signal }: StartContext): Promise<Readonly<Record<Component, RunnableImage>>> {
  const products = await Promise.all([built.worker, built.control, built.admin]);
  const archive = spans.measure('pack the images for the node', () => openArchive(docker, products, signal));
  archive.catch(() => undefined);
  const container = await runtime;
  const onNode = await spans.measure('put the images on the node', async () => importImages(docker, container, products, signal, await archive));
  const runnable = (index: number): RunnableImage => {
    const [product, image] = [products[index] as ProductImage, onNode[index] as NodeImage];
    return { component: product.component, name: nodeName(product.tag), imageId: image.imageId };
  };
  return { worker: runnable(0), control: runnable(1), admin: runnable(2) };
}
