import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlreadyExists } from '../runtime/cluster-client.ts';
import { Controller, type ControllerContext } from '../runtime/controller.ts';
import { CLAIMS, STORAGE_CLASSES, VOLUMES } from '../runtime/kinds.ts';
import { keyOf, type ObjectCache } from '../runtime/object-cache.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../runtime/objects.ts';
import { SELECTED_NODE } from '../scheduler/scheduler.ts';
import { isLocalPath, localPathClass, PROVISIONER, volumeFor, volumeNameOf } from './local-path.ts';

/** Makes the folder and the PersistentVolume of a claim once a node is chosen, and binds the two. */
export class ClaimController extends Controller {
  readonly #claims: ObjectCache<PersistentVolumeClaim>;
  readonly #volumes: ObjectCache<PersistentVolume>;
  readonly #directory: string;

  constructor(context: ControllerContext, directory: string) {
    super(context, 'persistent-volume-binder', (key) => this.#reconcile(key));
    this.#directory = directory;
    this.#claims = context.caches.of(CLAIMS);
    this.#volumes = context.caches.of(VOLUMES);
    this.#claims.onChange(({ object }) => this.queue.add(keyOf(object)));
  }

  async createStorageClass(): Promise<void> {
    try {
      await this.client.create(STORAGE_CLASSES, null, localPathClass);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #reconcile(key: string): Promise<void> {
    const claim = this.#claims.get(key);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return;
    if (claim.status?.phase === 'Bound' || !isLocalPath(claim)) return;
    const node = claim.metadata.annotations?.[SELECTED_NODE];
    if (node === undefined) return this.#waitForConsumer(claim);
    await this.#bind(claim, await this.#provision(claim, node));
  }

  #waitForConsumer(claim: PersistentVolumeClaim): void {
    const message = 'waiting for first consumer to be created before binding';
    this.events.record(claim, { type: 'Normal', reason: 'WaitForFirstConsumer', message });
  }

  async #provision(claim: PersistentVolumeClaim, node: string): Promise<PersistentVolume> {
    const name = volumeNameOf(claim);
    const existing = this.#volumes.get(`/${name}`) ?? (await this.client.get(VOLUMES, null, name));
    if (existing !== null) return existing;
    const folder = join(this.#directory, `${name}_${claim.metadata.namespace}_${claim.metadata.name}`);
    await mkdir(folder, { recursive: true });
    // local-path volumes are writable for every user of the node's Pods; the umask must not narrow that.
    await chmod(folder, 0o777);
    const volume = this.#volumes.observe(await this.client.create(VOLUMES, null, volumeFor(claim, folder, node)));
    this.events.record(claim, { type: 'Normal', reason: 'ProvisioningSucceeded', message: `Successfully provisioned volume ${name}` });
    return volume;
  }

  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    if (volume.status?.phase !== 'Bound') this.#volumes.observe(await this.client.patch(VOLUMES, volume, { status: { phase: 'Bound' } }, 'status'));
    const annotations = {
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
      'volume.kubernetes.io/storage-provisioner': PROVISIONER,
    };
    const named = await this.client.patch(CLAIMS, claim, {
      metadata: { annotations },
      spec: { volumeName: volume.metadata.name },
    });
    const { accessModes, capacity } = volume.spec;
    this.#claims.observe(await this.client.patch(CLAIMS, named, { status: { phase: 'Bound', accessModes, capacity } }, 'status'));
  }
}
