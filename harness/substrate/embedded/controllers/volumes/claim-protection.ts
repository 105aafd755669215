import { Controller, type ControllerContext } from '../runtime/controller.ts';
import { CLAIMS, PODS } from '../runtime/kinds.ts';
import { keyOf, type ObjectCache } from '../runtime/object-cache.ts';
import type { PersistentVolumeClaim, Pod } from '../runtime/objects.ts';
import { hasEnded } from '../pods/pod-conditions.ts';

const FINALIZER = 'kubernetes.io/pvc-protection';

/** A claim that a Pod still uses is not removed before that Pod has ended. */
export class ClaimProtection extends Controller {
  readonly #claims: ObjectCache<PersistentVolumeClaim>;
  readonly #pods: ObjectCache<Pod>;

  constructor(context: ControllerContext) {
    super(context, 'pvc-protection-controller', (key) => this.#reconcile(key));
    this.#claims = context.caches.of(CLAIMS);
    this.#pods = context.caches.of(PODS);
    this.#claims.onChange(({ object }) => this.queue.add(keyOf(object)));
    this.#pods.onChange(({ object }) => {
      for (const name of claimsOf(object)) this.queue.add(`${object.metadata.namespace}/${name}`);
    });
  }

  async #reconcile(key: string): Promise<void> {
    const claim = this.#claims.get(key);
    if (claim === undefined) return;
    const finalizers = claim.metadata.finalizers ?? [];
    const isProtected = finalizers.includes(FINALIZER);
    const isLeaving = claim.metadata.deletionTimestamp !== undefined;
    if (!isLeaving && !isProtected) await this.#write(claim, [...finalizers, FINALIZER]);
    if (isLeaving && isProtected && !this.#isUsed(claim)) await this.#write(claim, finalizers.filter((name) => name !== FINALIZER));
  }

  #isUsed(claim: PersistentVolumeClaim): boolean {
    return this.#pods.inNamespace(claim.metadata.namespace).some((pod) => !hasEnded(pod) && claimsOf(pod).includes(claim.metadata.name));
  }

  async #write(claim: PersistentVolumeClaim, finalizers: string[]): Promise<void> {
    const { uid, resourceVersion } = claim.metadata;
    await this.client.patch(CLAIMS, claim, { metadata: { uid, resourceVersion, finalizers } });
  }
}

function claimsOf(pod: Pod): string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []);
}
