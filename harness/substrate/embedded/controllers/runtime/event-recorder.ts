import { EVENTS } from './kinds.ts';
import type { ClusterClient } from './cluster-client.ts';
import type { Event, StoredObject } from './objects.ts';
import { now } from './timestamps.ts';

export interface ObservedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** e.g. `spec.containers{worker}`. */
  readonly fieldPath?: string;
}

/** Writes Events about objects; equal ones are counted up, not repeated. An Event that cannot be written is lost, as in Kubernetes. */
export class EventRecorder {
  readonly #client: ClusterClient;
  readonly #component: string;
  readonly #host: string | undefined;
  readonly #known = new Map<string, Event>();
  #last: Promise<void> = Promise.resolve();

  constructor(client: ClusterClient, component: string, host?: string) {
    this.#client = client;
    this.#component = component;
    this.#host = host;
  }

  record(about: StoredObject, event: ObservedEvent): void {
    this.#last = this.#last.then(() => this.#write(about, event)).catch(() => undefined);
  }

  /** Resolves when what was recorded so far is written. */
  async settled(): Promise<void> {
    await this.#last;
  }

  async #write(about: StoredObject, event: ObservedEvent): Promise<void> {
    const id = [about.metadata.uid, event.type, event.reason, event.message, event.fieldPath].join('\0');
    const known = this.#known.get(id);
    if (known === undefined) {
      this.#known.set(id, await this.#create(about, event));
      return;
    }
    this.#known.set(id, await this.#client.patch(EVENTS, known, { count: (known.count ?? 1) + 1, lastTimestamp: now() }));
  }

  async #create(about: StoredObject, event: ObservedEvent): Promise<Event> {
    const namespace = about.metadata.namespace ?? 'default';
    const at = now();
    const unique = process.hrtime.bigint().toString(16).padStart(16, '0');
    return this.#client.create(EVENTS, namespace, {
      metadata: { name: `${about.metadata.name}.${unique}`, namespace },
      involvedObject: {
        apiVersion: about.apiVersion,
        kind: about.kind,
        name: about.metadata.name,
        ...(about.metadata.namespace === undefined ? {} : { namespace }),
        uid: about.metadata.uid,
        resourceVersion: about.metadata.resourceVersion,
        ...(event.fieldPath === undefined ? {} : { fieldPath: event.fieldPath }),
      },
      type: event.type,
      reason: event.reason,
      message: event.message,
      source: { component: this.#component, ...(this.#host === undefined ? {} : { host: this.#host }) },
      reportingComponent: this.#component,
      reportingInstance: this.#host ?? '',
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    });
  }
}
