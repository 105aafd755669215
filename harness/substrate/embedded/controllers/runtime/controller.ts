import type { InProcessApi } from '../../api-server/in-process-api.ts';
import { ClusterClient } from './cluster-client.ts';
import type { ClusterCaches } from './cluster-caches.ts';
import { EventRecorder } from './event-recorder.ts';
import { ReconcileQueue } from './reconcile-queue.ts';

export interface ControllerContext {
  readonly api: InProcessApi;
  readonly caches: ClusterCaches;
  /** One line about something that failed and will be tried again. */
  readonly report: (line: string) => void;
}

/** A controller's identity and its queue: the name appears in audit events and Events as in Kubernetes. */
export class Controller implements AsyncDisposable {
  readonly client: ClusterClient;
  readonly events: EventRecorder;
  readonly queue: ReconcileQueue;

  constructor(context: ControllerContext, name: string, reconcile: (key: string) => Promise<void>) {
    this.client = new ClusterClient(context.api, `system:serviceaccount:kube-system:${name}`, [
      'system:serviceaccounts',
      'system:serviceaccounts:kube-system',
      'system:authenticated',
    ]);
    this.events = new EventRecorder(this.client, name);
    this.queue = new ReconcileQueue(name, reconcile, context.report);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.queue[Symbol.asyncDispose]();
    await this.events.settled();
  }
}
