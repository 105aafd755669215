import type { Pod } from '../runtime/objects.ts';

/**
 * Counts how the Pods of each Job ended, whether or not they are still in the API: a Pod removed before it ended
 * has failed. The controller lives as long as the API server's memory does, so its own memory is enough.
 */
export class PodLedger {
  readonly #jobs = new Map<string, { succeeded: Set<string>; failed: Set<string>; lastFailureAt: number }>();

  note(jobUid: string, pod: Pod, isGone: boolean): void {
    const ended = this.#of(jobUid);
    const { uid } = pod.metadata;
    if (ended.succeeded.has(uid) || ended.failed.has(uid)) return;
    if (pod.status?.phase === 'Succeeded') ended.succeeded.add(uid);
    else if (pod.status?.phase === 'Failed' || isGone) {
      ended.failed.add(uid);
      ended.lastFailureAt = performance.now();
    }
  }

  counts(jobUid: string): { succeeded: number; failed: number } {
    const { succeeded, failed } = this.#of(jobUid);
    return { succeeded: succeeded.size, failed: failed.size };
  }

  msSinceLastFailure(jobUid: string): number {
    return performance.now() - this.#of(jobUid).lastFailureAt;
  }

  forget(jobUid: string): void {
    this.#jobs.delete(jobUid);
  }

  #of(jobUid: string): { succeeded: Set<string>; failed: Set<string>; lastFailureAt: number } {
    const known = this.#jobs.get(jobUid);
    if (known !== undefined) return known;
    const fresh = { succeeded: new Set<string>(), failed: new Set<string>(), lastFailureAt: 0 };
    this.#jobs.set(jobUid, fresh);
    return fresh;
  }
}
