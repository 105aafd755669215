import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '../../controllers/runtime/objects.ts';
import type { NodeContext } from '../node-context.ts';
import { parseQuantity } from '../quantity.ts';
import { AtomicFolder, type ProjectedFile } from './atomic-folder.ts';
import { folderBytes, giveToGroup, makeEmptyFolder } from './plain-folders.ts';
import { downwardFiles, type FileSource, type FileVolume, fileVolume, objectFiles } from './projected-sources.ts';
import { ServiceAccountTokens } from './service-account-token.ts';
import { VolumeNotReadyError } from './volume-error.ts';

type Volume = NonNullable<Pod['spec']['volumes']>[number];

/** The volumes of one Pod as folders. Those made of files follow their Secrets, ConfigMaps, tokens and labels until closed. */
export class PodVolumes implements AsyncDisposable {
  readonly #node: NodeContext;
  readonly #directory: string;
  readonly #podIp: string;
  readonly #paths = new Map<string, string>();
  readonly #folders = new Map<string, AtomicFolder>();
  readonly #tokens: ServiceAccountTokens;
  #pod: Pod;
  #renewal: NodeJS.Timeout | undefined;
  #lastRefresh: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(node: NodeContext, pod: Pod, directory: string, podIp: string) {
    this.#node = node;
    this.#pod = pod;
    this.#directory = directory;
    this.#podIp = podIp;
    this.#tokens = new ServiceAccountTokens(node.client);
  }

  pathOf(volumeName: string): string | undefined {
    return this.#paths.get(volumeName);
  }

  /** Makes what is not there yet; throws VolumeNotReadyError for the first volume that has to wait. */
  async mount(): Promise<void> {
    for (const volume of this.#pod.spec.volumes ?? []) {
      if (this.#paths.has(volume.name)) continue;
      this.#paths.set(volume.name, await this.#mountOne(volume).catch((error: unknown) => this.#refuse(volume, error)));
    }
    this.#scheduleRenewal();
  }

  /** Brings files up to date with what they come from. A source that is gone leaves its files as they are. */
  refresh(pod: Pod): void {
    this.#pod = pod;
    this.#lastRefresh = this.#lastRefresh.then(() => this.#refreshAll());
  }

  /** The emptyDir that has outgrown its limit, if there is one. */
  async oversized(): Promise<{ name: string; limit: string } | null> {
    for (const { name, emptyDir } of this.#pod.spec.volumes ?? []) {
      const path = this.#paths.get(name);
      if (emptyDir?.sizeLimit === undefined || path === undefined) continue;
      if ((await folderBytes(path)) > parseQuantity(emptyDir.sizeLimit)) return { name, limit: String(emptyDir.sizeLimit) };
    }
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#renewal);
    await this.#lastRefresh;
  }

  get #fsGroup(): number | null {
    return this.#node.canChangeUser ? (this.#pod.spec.securityContext?.fsGroup ?? null) : null;
  }

  #refuse(volume: Volume, error: unknown): never {
    throw new VolumeNotReadyError(volume.name, error instanceof Error ? error.message : String(error));
  }

  async #mountOne(volume: Volume): Promise<string> {
    if (volume.persistentVolumeClaim !== undefined) return this.#claimFolder(volume.persistentVolumeClaim.claimName);
    const path = join(this.#directory, volume.name);
    if (volume.emptyDir !== undefined) {
      await makeEmptyFolder(path, this.#fsGroup);
      return path;
    }
    const files = fileVolume(volume);
    if (files === null) throw new Error('this kind of volume does not exist on this node; use secret, configMap, projected, downwardAPI, emptyDir or persistentVolumeClaim');
    const payload = await this.#payloadOf(files);
    await mkdir(path, { recursive: true, mode: 0o755 });
    const folder = new AtomicFolder(path, this.#fsGroup);
    await folder.write(payload);
    this.#folders.set(volume.name, folder);
    return path;
  }

  async #claimFolder(claimName: string): Promise<string> {
    const claim = this.#node.caches.claims.find(this.#pod.metadata.namespace, claimName);
    const volumeName = claim?.spec.volumeName;
    const volume = volumeName === undefined ? undefined : this.#node.caches.volumes.get(`/${volumeName}`);
    const path = volume?.spec.hostPath?.path ?? volume?.spec.local?.path;
    if (path === undefined) throw new Error(`persistentvolumeclaim "${claimName}" is not bound to a local volume`);
    await giveToGroup(path, this.#fsGroup);
    return path;
  }

  async #payloadOf(volume: FileVolume): Promise<Map<string, ProjectedFile>> {
    const files = await Promise.all(volume.sources.map((source) => this.#filesOf(source, volume.defaultMode)));
    return new Map(files.flat());
  }

  async #filesOf(source: FileSource, defaultMode: number): Promise<[string, ProjectedFile][]> {
    const { namespace } = this.#pod.metadata;
    switch (source.kind) {
      case 'secret':
        return objectFiles(source, this.#node.caches.secrets.find(namespace, source.name), defaultMode);
      case 'configMap':
        return objectFiles(source, this.#node.caches.configMaps.find(namespace, source.name), defaultMode);
      case 'downwardAPI':
        return downwardFiles(source.items, this.#pod, { podIp: this.#podIp, nodeIp: this.#node.addresses.nodeAddress }, defaultMode);
      case 'token':
        return [[source.token.path, await this.#tokenFile(source.token, defaultMode)]];
    }
  }

  /** A token belongs to the Pod's user alone (Kubernetes: 0600 where runAsUser or fsGroup is set). */
  async #tokenFile(token: Extract<FileSource, { kind: 'token' }>['token'], defaultMode: number): Promise<ProjectedFile> {
    const content = Buffer.from(await this.#tokens.current(this.#pod, token));
    const uid = this.#node.canChangeUser ? this.#pod.spec.securityContext?.runAsUser : undefined;
    const mode = uid === undefined && this.#fsGroup === null ? defaultMode : 0o600;
    return { content, mode, ...(uid === undefined ? {} : { uid }) };
  }

  async #refreshAll(): Promise<void> {
    for (const volume of this.#pod.spec.volumes ?? []) {
      const folder = this.#folders.get(volume.name);
      const files = fileVolume(volume);
      if (folder === undefined || files === null || this.#closed) continue;
      try {
        await folder.write(await this.#payloadOf(files));
      } catch (error) {
        this.#node.report(`volume ${volume.name} of ${this.#pod.metadata.namespace}/${this.#pod.metadata.name} keeps its files: ${String(error)}`);
      }
    }
    this.#scheduleRenewal();
  }

  #scheduleRenewal(): void {
    clearTimeout(this.#renewal);
    const delayMs = this.#tokens.msUntilRenewal();
    if (delayMs === null || this.#closed) return;
    // A token that could not be renewed is tried again soon, not in a busy loop.
    this.#renewal = setTimeout(() => this.refresh(this.#pod), Math.max(1000, delayMs));
  }
}
