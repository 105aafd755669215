import { setImmediate } from 'node:timers/promises';
import { isConflict, isNotFound } from '../../controllers/runtime/cluster-client.ts';
import { PODS } from '../../controllers/runtime/kinds.ts';
import type { Pod, PodStatus } from '../../controllers/runtime/objects.ts';
import type { NodeContext } from '../node-context.ts';
import { isSameStatus } from './pod-status.ts';

/** Writes a Pod's status, one write at a time, always the newest; changes of one moment become one write. */
export class StatusWriter {
  readonly #node: NodeContext;
  readonly #compute: () => PodStatus;
  #pod: Pod;
  #isDirty = false;
  #isClosed = false;
  #writing: Promise<void> | null = null;

  constructor(node: NodeContext, pod: Pod, compute: () => PodStatus) {
    this.#node = node;
    this.#pod = pod;
    this.#compute = compute;
  }

  changed(): void {
    if (this.#isClosed) return;
    this.#isDirty = true;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
  }

  /** The object is gone, or the node is: there is nothing more to report. */
  close(): void {
    this.#isClosed = true;
    this.#isDirty = false;
  }

  /** Resolves when all changes so far are written. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    await setImmediate();
    while (this.#isDirty) {
      this.#isDirty = false;
      await this.#write().catch((error: unknown) => {
        if (isNotFound(error) || isConflict(error)) return;
        this.#node.report(`status of ${this.#pod.metadata.namespace}/${this.#pod.metadata.name}: ${String(error)}`);
      });
    }
  }

  async #write(): Promise<void> {
    const status = this.#compute();
    if (isSameStatus(this.#pod.status, status)) return;
    // The uid makes sure that the status never goes to a later Pod of the same name.
    const patch = { metadata: { uid: this.#pod.metadata.uid }, status };
    this.#pod = this.#node.caches.pods.observe(await this.#node.client.patch(PODS, this.#pod, patch, 'status'));
  }
}
