import { groupBy } from './group-by.ts';
import { CONTRACT_NAMES, PROBE_NAMES } from '../contract-names.ts';
import { instantMs } from '../instants.ts';
import type { ObservationOf } from '../observation.ts';
import { fact, type ObservedRun } from './observed-run.ts';

/** One audit event with its instants as milliseconds and the identity that was judged. */
export interface Request {
  readonly seq: number;
  readonly event: ObservationOf<'api.audit'>['body'];
  /** Whose rights were used: the impersonated user's where there is one. Whoever impersonates an account of the cluster is not that account, which has a token. */
  readonly identity: string;
  readonly receivedMs: number;
  readonly completedMs: number;
}

function identityOf({ user, impersonatedUser }: Request['event']): string {
  if (impersonatedUser === null) return user;
  return impersonatedUser.startsWith('system:') ? `${user} as ${impersonatedUser}` : impersonatedUser;
}

export const byArrival = (left: Request, right: Request): number => left.receivedMs - right.receivedMs || left.seq - right.seq;

/** Every stage of every request, in order of arrival at the API server. */
export const auditedStages = fact((run: ObservedRun): readonly Request[] =>
  run
    .of('api.audit')
    .map(({ seq, body }) => ({
      seq,
      event: body,
      identity: identityOf(body),
      receivedMs: instantMs(body.receivedAt),
      completedMs: instantMs(body.completedAt),
    }))
    .sort(byArrival),
);

/** Answered requests, each once. */
export const requests = fact((run: ObservedRun): readonly Request[] => auditedStages(run).filter(({ event }) => event.stage === 'ResponseComplete'));

const byIdentity = fact((run: ObservedRun) => groupBy(auditedStages(run), ({ identity }) => identity));
const answeredByIdentity = fact((run: ObservedRun) => groupBy(requests(run), ({ identity }) => identity));

/** Everything that one identity did or tried, at every stage. */
export function stagesBy(run: ObservedRun, identity: string): readonly Request[] {
  return byIdentity(run).get(identity) ?? [];
}

/** In order of arrival. */
export function requestsBy(run: ObservedRun, identity: string): readonly Request[] {
  return answeredByIdentity(run).get(identity) ?? [];
}

/** Those of them that arrived in a window, without going through all of them: there are as many windows as sessions. */
export function requestsWithin(run: ObservedRun, identity: string, window: Window): readonly Request[] {
  const all = requestsBy(run, identity);
  const some = all.slice(firstWhere(all, ({ receivedMs }) => receivedMs >= window.fromMs), firstWhere(all, ({ receivedMs }) => !(receivedMs <= window.toMs)));
  return some.filter((request) => within(request, window)); // an instant that is none has no place in the order
}

/** The index from which on it holds, of something that holds from some index on. */
function firstWhere(all: readonly Request[], holds: (request: Request) => boolean): number {
  let [from, to] = [0, all.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(all[middle] as Request)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The harness's own user: the one that impersonates. Null where several do, or one that cannot be it. */
export const administrator = fact((run: ObservedRun): string | null => {
  const [only = null, ...others] = new Set(auditedStages(run).flatMap(({ event }) => (event.impersonatedUser === null ? [] : [event.user])));
  return only === null || others.length > 0 || NO_ADMINISTRATOR.test(only) ? null : only;
});
const NO_ADMINISTRATOR = /^system:(?:anonymous$|serviceaccount:|node:)/;

export interface ObjectName {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}
export const TARGET_SECRET: ObjectName = { resource: 'secrets', namespace: CONTRACT_NAMES.workerNamespace, name: CONTRACT_NAMES.targetSecret };
export const TARGET_DEPLOYMENT: ObjectName = { resource: 'deployments', namespace: CONTRACT_NAMES.workerNamespace, name: CONTRACT_NAMES.deployment };
export const PROBE_SECRET: ObjectName = { resource: 'secrets', namespace: PROBE_NAMES.workerNamespace, name: PROBE_NAMES.targetSecret };
export const PROBE_DEPLOYMENT: ObjectName = { resource: 'deployments', namespace: PROBE_NAMES.workerNamespace, name: PROBE_NAMES.deployment };
export const IDENTITY_SECRET: ObjectName = { ...TARGET_SECRET, name: CONTRACT_NAMES.identitySecret };

function isNamed(event: Request['event'], { resource, namespace, name }: ObjectName): boolean {
  return event.resource === resource && event.namespace === namespace && event.name === name;
}

export function concerns({ event }: Request, object: ObjectName): boolean {
  return isNamed(event, object) && event.subresource === null;
}

export function succeeded({ event }: Request): boolean {
  return event.code !== null && event.code >= 200 && event.code < 300;
}

/** The API server gave up on it, or does not say how it ended: it may have been carried out all the same, and who asked must look. */
export function wasLeftOpen({ event }: Request): boolean {
  return event.code === null || event.code >= 500;
}

export function isForbidden({ event }: Request): boolean {
  return event.code === 403;
}

export function isReview({ event }: Request): boolean {
  return event.verb === 'create' && event.apiGroup === 'authorization.k8s.io' && event.resource === 'selfsubjectaccessreviews';
}

const WRITING_VERBS = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
export function isWrite(request: Request): boolean {
  return WRITING_VERBS.has(request.event.verb) && !isReview(request);
}

export function isTokenRequest({ event }: Request, namespace: string, serviceAccount: string): boolean {
  return event.verb === 'create' && event.subresource === 'token' && isNamed(event, { resource: 'serviceaccounts', namespace, name: serviceAccount });
}

/** For the account that makes the deliveries of the contract. */
export function isDeliveryTokenRequest(request: Request): boolean {
  return isTokenRequest(request, CONTRACT_NAMES.stageNamespace, CONTRACT_NAMES.deliveryServiceAccount);
}

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}
export function within(request: Request, { fromMs, toMs }: Window): boolean {
  return request.receivedMs >= fromMs && request.receivedMs <= toMs;
}

const deletedPods = fact((run: ObservedRun) =>
  groupBy(
    requests(run).filter((request) => request.event.verb === 'delete' && request.event.resource === 'pods' && (succeeded(request) || wasLeftOpen(request))),
    ({ event }) => `${event.namespace}/${event.name}`,
  ),
);

/** The first request to delete the Pod; its `deletionTimestamp` lies ahead by the grace period and tells no such thing. */
export function deletionRequestOf(run: ObservedRun, pod: { readonly namespace: string; readonly name: string } | null | undefined): Request | null {
  return (pod && deletedPods(run).get(`${pod.namespace}/${pod.name}`)?.[0]) ?? null;
}
