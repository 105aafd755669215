import { rm } from 'node:fs/promises';
import { Controller, type ControllerContext } from '../runtime/controller.ts';
import { CLAIMS, VOLUMES } from '../runtime/kinds.ts';
import { keyOf, type ObjectCache } from '../runtime/object-cache.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../runtime/objects.ts';

const FINALIZER = 'kubernetes.io/pv-protection';

/** What becomes of a volume when its claim is gone: Released, and with reclaim policy Delete its folder and object go too. */
export class VolumeReclaim extends Controller {
  readonly #claims: ObjectCache<PersistentVolumeClaim>;
  readonly #volumes: ObjectCache<PersistentVolume>;

  constructor(context: ControllerContext) {
    super(context, 'pv-protection-controller', (key) => this.#reconcile(key));
    this.#claims = context.caches.of(CLAIMS);
    this.#volumes = context.caches.of(VOLUMES);
    this.#volumes.onChange(({ object }) => this.queue.add(keyOf(object)));
    this.#claims.onChange(({ type, object }) => {
      if (type === 'DELETED' && object.spec.volumeName !== undefined) this.queue.add(`/${object.spec.volumeName}`);
    });
  }

  async #reconcile(key: string): Promise<void> {
    const volume = this.#volumes.get(key);
    if (volume === undefined || (await this.#isClaimed(volume))) return;
    if (volume.metadata.deletionTimestamp !== undefined) return this.#unprotect(volume);
    if (volume.status?.phase !== 'Bound' && volume.status?.phase !== 'Released') return;
    if (volume.status.phase === 'Bound') await this.client.patch(VOLUMES, volume, { status: { phase: 'Released' } }, 'status');
    if (volume.spec.persistentVolumeReclaimPolicy !== 'Delete') return;
    if (volume.spec.hostPath !== undefined) await rm(volume.spec.hostPath.path, { recursive: true, force: true });
    await this.client.delete(VOLUMES, volume);
  }

  async #isClaimed(volume: PersistentVolume): Promise<boolean> {
    const { namespace = '', name = '', uid } = volume.spec.claimRef ?? {};
    if (uid === undefined) return false;
    const claim = this.#claims.find(namespace, name) ?? (await this.client.get(CLAIMS, namespace, name));
    return claim?.metadata.uid === uid;
  }

  async #unprotect(volume: PersistentVolume): Promise<void> {
    const finalizers = volume.metadata.finalizers ?? [];
    if (!finalizers.includes(FINALIZER)) return;
    await this.client.patch(VOLUMES, volume, { metadata: { uid: volume.metadata.uid, finalizers: finalizers.filter((name) => name !== FINALIZER) } });
  }
}
