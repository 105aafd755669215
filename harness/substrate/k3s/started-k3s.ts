import type Docker from 'dockerode';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Component, Witness } from '../../../evidence/observation.ts';
import type { ResolvedImage } from '../../images/resolve-image.ts';
import type { ClusterAccess, ContainerExit, DatabaseAccess, PlatformFact, PlatformLog, RunnableImage, StartedSubstrate } from '../substrate.ts';
import { AuditLog } from './audit-log.ts';
import { AUDIT_LOG_PATH } from './cluster-container.ts';
import type { DatabaseSighting } from './database-reach.ts';
import { execInContainer } from './container-exec.ts';
import type { NodeEvents } from './node-events.ts';
import { readPlatformLogs } from './platform-logs.ts';
import { imagesThatRan } from './images-that-ran.ts';
import { killNodeContainer, listNodeImages, type NodeImage } from './node-images.ts';
import type { ProductImage } from './product-images.ts';

export interface StartedParts {
  readonly docker: Docker;
  readonly signal: AbortSignal;
  readonly cluster: Promise<ClusterAccess>;
  readonly ready: Promise<void>;
  readonly database: Promise<DatabaseAccess>;
  readonly images: Promise<Readonly<Record<Component, RunnableImage>>>;
  readonly died: Promise<never>;
  readonly clusterContainer: Promise<Docker.Container>;
  readonly databaseContainer: Promise<Docker.Container>;
  readonly events: Promise<NodeEvents>;
  /** Has a Pod reach the PostgreSQL that this machine has reached, and tells what each saw of it. */
  reach(): Promise<{ readonly fromHost: DatabaseSighting; readonly fromPod: DatabaseSighting }>;
  readonly clusterImage: Promise<ResolvedImage>;
  readonly databaseImage: Promise<ResolvedImage>;
  readonly built: Readonly<Record<Component, Promise<ProductImage>>>;
  /** Called once when a run has failed, after its evidence was kept; tells whether the cluster is kept too. */
  onFailure(directory: string): Promise<boolean>;
}

export class StartedK3s implements StartedSubstrate {
  readonly kind = 'k3s';
  readonly enforcesNetworkPolicy = true;
  readonly cluster: Promise<ClusterAccess>;
  readonly ready: Promise<void>;
  readonly database: Promise<DatabaseAccess>;
  readonly images: Promise<Readonly<Record<Component, RunnableImage>>>;
  readonly died: Promise<never>;
  readonly #parts: StartedParts;
  #auditLog: Promise<AuditLog> | undefined;

  constructor(parts: StartedParts) {
    this.#parts = parts;
    ({ cluster: this.cluster, ready: this.ready, database: this.database, images: this.images, died: this.died } = parts);
  }

  async platformFacts(): Promise<readonly PlatformFact[]> {
    const { clusterImage, databaseImage, built, clusterContainer, signal, images } = this.#parts;
    const [cluster, database, onNode, runnable] = await Promise.all([clusterImage, databaseImage, clusterContainer.then((container) => listNodeImages(container, signal)), images]);
    const products = await Promise.all(Object.values(built));
    return [
      { kind: 'platform.cluster', witness: 'docker', subject: 'containers/k3s', body: identityOf(cluster) },
      { kind: 'platform.database-container', witness: 'docker', subject: 'containers/postgres', body: { ...identityOf(database), architecture: database.architecture } },
      ...products.map(({ fact }) => fact),
      ...onNode.map((image) => onNodeFact(image, runnable)),
    ];
  }

  async reachFacts(): Promise<readonly PlatformFact[]> {
    const { fromHost, fromPod } = await this.#parts.reach();
    return [reachedFact('host', 'harness', fromHost), reachedFact('pod', 'probe', fromPod)];
  }

  /** Whatever a node runs, K3s's own images among them: of those the pin of K3s says only by which tag they are pulled. */
  async closingFacts(): Promise<readonly PlatformFact[]> {
    const { events, clusterContainer, images, signal } = this.#parts;
    const [{ created }, listed, runnable] = await Promise.all([events, clusterContainer.then((container) => listNodeImages(container, signal)), images]);
    return imagesThatRan(created, listed).map((ran) => ({ kind: 'image.ran', witness: 'node', subject: `images/${ran.imageId}`, body: { component: componentOf(ran.names, runnable), ...ran } }));
  }

  async readAuditLog(): Promise<string> {
    this.#auditLog ??= this.#parts.clusterContainer.then((container) => new AuditLog(container, AUDIT_LOG_PATH));
    return await (await this.#auditLog).read(this.#parts.signal);
  }

  async containerExits(): Promise<readonly ContainerExit[]> {
    return (await this.#parts.events).exits;
  }

  async killContainer(containerId: string): Promise<void> {
    await killNodeContainer(await this.#parts.clusterContainer, containerId, this.#parts.signal);
  }

  async *platformLogs(): AsyncGenerator<PlatformLog> {
    const { clusterContainer, databaseContainer, database } = this.#parts;
    const password = await database.then(({ superuser }) => superuser.password, () => '');
    yield* readPlatformLogs({ 'k3s.log': clusterContainer, 'postgres.log': databaseContainer }, [password]);
  }

  async collectFailure(directory: string): Promise<void> {
    const { clusterContainer, cluster } = this.#parts;
    const save = async (name: string, text: Promise<string>) => await writeFile(join(directory, name), await text, { mode: 0o600 });
    await Promise.allSettled([
      this.#savePlatformLogs(directory),
      save('audit.jsonl', clusterContainer.then((container) => readWithin(container, AUDIT_LOG_PATH))),
    ]);
    // an administrator's key: of use, and to be kept, only as long as its cluster is
    if (await this.#parts.onFailure(directory)) await cluster.then(({ kubeconfigPath }) => copyFile(kubeconfigPath, join(directory, 'kubeconfig')));
  }

  async #savePlatformLogs(directory: string): Promise<void> {
    for await (const { name, bytes } of this.platformLogs()) await writeFile(join(directory, name), bytes, { mode: 0o600 });
  }
}

/** The run's own signal may have ended it; what is kept of it gets a time of its own. */
async function readWithin(container: Docker.Container, path: string): Promise<string> {
  return (await execInContainer(container, ['cat', path], { signal: AbortSignal.timeout(20_000) })).stdout.toString();
}

function identityOf({ name, digest, id }: ResolvedImage): { image: string; imageDigest: string; imageId: string } {
  return { image: name, imageDigest: digest, imageId: id };
}

function reachedFact(from: 'host' | 'pod', witness: Witness, { protocol, fingerprint }: DatabaseSighting): PlatformFact {
  return { kind: 'platform.database-reached', witness, subject: `containers/postgres/${from}`, body: { from, protocol, certificateFingerprint: fingerprint } };
}

function onNodeFact({ imageId, names }: NodeImage, runnable: Readonly<Record<Component, RunnableImage>>): PlatformFact {
  return { kind: 'image.on-node', witness: 'node', subject: `images/${imageId}`, body: { component: componentOf(names, runnable), names, imageId } };
}

function componentOf(names: readonly string[], runnable: Readonly<Record<Component, RunnableImage>>): Component | null {
  return Object.values(runnable).find((image) => names.includes(image.name))?.component ?? null;
}
