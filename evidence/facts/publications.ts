import { ANNOTATIONS } from '../annotations.ts';
import { DELIVERY } from '../identities.ts';
import type { ObservedObject } from '../observation.ts';
import { textAt } from './fields.ts';
import { concerns, requestsBy, succeeded, type ObjectName, type Request } from './audit.ts';
import { watchedStates } from './objects.ts';
import type { ObservedRun } from './observed-run.ts';
import type { WatchedObject } from './pods.ts';
import type { TokenSession } from './token-sessions.ts';

/** One replace by compare-and-swap, as the audit log and the watch tell it. */
export interface Swap {
  readonly read: Request | null;
  readonly replaces: readonly Request[];
  /** The state whose resourceVersion the replace carried. */
  readonly before: WatchedObject | null;
  /** The state that the watch showed next. */
  readonly after: WatchedObject | null;
}

const KINDS: Readonly<Record<string, string>> = { secrets: 'Secret', deployments: 'Deployment' };

/** Every state that the watch showed of a Secret or Deployment. */
export function statesOf(run: ObservedRun, { resource, namespace, name }: ObjectName): readonly WatchedObject[] {
  return watchedStates(run, KINDS[resource] ?? '', namespace, name);
}

/** The replace of one object within one token session. */
export function swapOf(run: ObservedRun, session: TokenSession, object: ObjectName): Swap {
  const onObject = session.work.filter((request) => concerns(request, object));
  const replaces = onObject.filter(({ event }) => event.verb === 'update');
  const [replace] = replaces;
  const read = onObject.findLast((request) => request.event.verb === 'get' && succeeded(request) && request.receivedMs < (replace?.receivedMs ?? 0)) ?? null;
  const states = statesOf(run, object);
  const index = states.findIndex(({ body }) => body.object.metadata.resourceVersion === replace?.event.resourceVersion);
  return { read, replaces, before: states[index] ?? null, after: index === -1 ? null : (states[index + 1] ?? null) };
}

/** Every successful replace of the object by the delivery identity, in and out of sessions. */
export function replacesByDelivery(run: ObservedRun, object: ObjectName): readonly Request[] {
  return requestsBy(run, DELIVERY).filter((request) => concerns(request, object) && request.event.verb === 'update' && succeeded(request));
}

type AnnotationName = keyof typeof ANNOTATIONS;

/** What the object says is published: a Secret by its own annotations, a Deployment by its PodTemplate's. */
export function publishedAnnotation(object: ObservedObject | undefined, name: AnnotationName): string | null {
  const path = object?.kind === 'Deployment' ? ['spec', 'template', 'metadata', 'annotations', ANNOTATIONS[name]] : ['metadata', 'annotations', ANNOTATIONS[name]];
  return textAt(object, ...path);
}
