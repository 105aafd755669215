import { ApiException } from '@kubernetes/client-node';
import type { ManifestObject } from '../manifests/render.ts';
import { expecting } from '../progress/activity.ts';
import { HarnessError } from '../run/errors.ts';
import type { ClusterClients } from '../cluster/clients.ts';
import { backoffMs, MAX_ATTEMPTS, pause } from '../cluster/patience.ts';

const CONFLICT = 409;
const FIELD_MANAGER = 'ql3-rollout-evidence';

/** Namespaces before what is in them, and what makes Pods after what its Pods need; all else may come in any order. */
const WAVE_OF: Readonly<Record<string, number>> = { Namespace: 0, Deployment: 2, Job: 2, Pod: 2 };
const USUAL_WAVE = 1;

/** The objects in the order in which they are created: those of one wave side by side. */
export function creationWaves(objects: readonly ManifestObject[]): readonly (readonly ManifestObject[])[] {
  const waves = Map.groupBy(objects, ({ kind }) => WAVE_OF[kind] ?? USUAL_WAVE);
  return [0, USUAL_WAVE, 2].map((wave) => waves.get(wave) ?? []);
}

/** Creates objects that must not be there yet, side by side as far as they can be; an existing one means that another run uses this cluster. */
export async function createAll(cluster: ClusterClients, objects: readonly ManifestObject[]): Promise<void> {
  for (const wave of creationWaves(objects)) {
    // all are waited for: nothing must be created after a failure was told
    const outcomes = await Promise.allSettled(wave.map((object) => createOne(cluster, object)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    cluster.created.push(...wave);
  }
}

async function createOne(cluster: ClusterClients, object: ManifestObject): Promise<void> {
  const action = `create ${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`;
  await expecting({ expected: `the API server to ${action}` }, async () => {
    try {
      await cluster.objects.create(object, undefined, undefined, FIELD_MANAGER);
    } catch (error) {
      throw toClusterError(action, error);
    }
  });
}

/**
 * Reads an object anew and replaces it under the resourceVersion that was read, as often as another writer comes in between or the
 * answer is lost, up to a bound. `write` must do both, and must come to the same when what it writes is there already.
 */
export async function compareAndSwap(action: string, write: () => Promise<unknown>, signal?: AbortSignal): Promise<void> {
  await expecting({ expected: `the API server to ${action}` }, (wait) => attemptSwaps(action, write, signal, wait));
}

async function attemptSwaps(action: string, write: () => Promise<unknown>, signal: AbortSignal | undefined, wait: { saw(text: string): void }): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await write();
      return;
    } catch (error) {
      signal?.throwIfAborted();
      wait.saw(`attempt ${attempt}: ${error instanceof ApiException ? `answered ${error.code}` : (error as Error).message}`);
      const mayPass = error instanceof ApiException ? error.code === CONFLICT : isLost(error);
      if (!mayPass || attempt === MAX_ATTEMPTS) throw toClusterError(attempt === 1 ? action : `${action} in ${attempt} attempts`, error);
      await pause(backoffMs(attempt), signal);
    }
  }
}

/** No answer came: undici fails with a TypeError, or with the deadline's TimeoutError. */
function isLost(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
}

/** Replaces an object under the resourceVersion that it carries: a writer in between makes this fail, and is never overwritten. */
export async function replace(cluster: ClusterClients, object: ManifestObject): Promise<void> {
  if (object.metadata['resourceVersion' as never] === undefined) throw new TypeError('expected the object to carry the resourceVersion it was read with');
  try {
    await cluster.objects.replace(object, undefined, undefined, FIELD_MANAGER);
  } catch (error) {
    throw toClusterError(`replace ${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`, error);
  }
}

export function toClusterError(action: string, error: unknown): HarnessError {
  if (error instanceof ApiException) {
    const body = typeof error.body === 'string' ? error.body : JSON.stringify(error.body);
    return new HarnessError('QL3_CLUSTER_ANSWER', `expected the API server to ${action}, got ${error.code}: ${body.slice(0, 500)}`, { cause: error });
  }
  return new HarnessError('QL3_CLUSTER_ANSWER', `expected the API server to ${action}, got ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}
