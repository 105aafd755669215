import { ANNOTATIONS } from '../../evidence/annotations.ts';
import { CONTRACT_NAMES as NAMES } from '../../evidence/contract-names.ts';
import type { Observation, ObservationBodies, ObservedObject } from '../../evidence/observation.ts';
import { all, find } from './log-edit.ts';

type Log = readonly Observation[];
type Audit = ObservationBodies['api.audit'];
type Line = ObservationBodies['process.line'];

/** The parts that things play in a log, for lies to find them in any run. */

const SERVICE_ACCOUNT = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;
export const DELIVERY: string = SERVICE_ACCOUNT(NAMES.stageNamespace, NAMES.deliveryServiceAccount);
export const JOB_ISSUER: string = SERVICE_ACCOUNT(NAMES.executorNamespace, NAMES.executorServiceAccount);
export const HOST_ISSUER: string = NAMES.issuerUser;

const identityOf = (event: Audit): string => event.impersonatedUser ?? event.user;
export const by = (identity: string, event: Audit): boolean => identityOf(event) === identity && event.stage === 'ResponseComplete';
export const isTokenRequest = (issuer: string) => (event: Audit): boolean => by(issuer, event) && event.subresource === 'token' && (event.code ?? 500) < 300;
export const isTokenOfExecutorPod = (event: Audit): boolean => event.subresource === 'token' && event.namespace === NAMES.executorNamespace && event.tokenRequest?.boundPodUid !== undefined && event.tokenRequest.boundPodUid !== null && (event.code ?? 500) < 300;
export const isTargetSecretReplace = (event: Audit): boolean => by(DELIVERY, event) && event.verb === 'update' && event.resource === 'secrets' && event.name === NAMES.targetSecret;
export const isTargetDeploymentReplace = (event: Audit): boolean => by(DELIVERY, event) && event.verb === 'update' && event.resource === 'deployments' && event.name === NAMES.deployment;
export const isReviewBy = (identity: string) => (event: Audit): boolean => by(identity, event) && event.accessReview !== null;

function startedPods(log: Log, component: string, event: string): readonly string[] {
  const own = new Set(all(log, 'api.watched', ({ object }) => object.kind === 'Pod' && object.metadata.namespace === NAMES.workerNamespace && (object.metadata.annotations?.[ANNOTATIONS.credentialId] ?? '').startsWith('live_')).map(({ body }) => body.object.metadata.uid));
  return [...own].filter((uid) => all(log, 'process.line', (body) => body.podUid === uid && body.line['component'] === component && body.line['event'] === event).length > 0);
}
export const actorPods = (log: Log): readonly string[] => startedPods(log, 'qinglong3-rollout-actor', 'started');
export const productPods = (log: Log): readonly string[] => startedPods(log, 'qinglong3-worker', 'starting');

export const printed = (podUid: string | undefined, event: string) => (body: Line): boolean => body.podUid === podUid && body.line['event'] === event;

export function sessionOf(log: Log, index: number): string {
  return String(find(log, 'process.line', printed(productPods(log)[index], 'registered')).body.line['sessionId']);
}

export const isPod = (uid: string | undefined) => ({ object }: { readonly object: ObservedObject }): boolean => object.kind === 'Pod' && object.metadata.uid === uid;
export const isExecutorPod = (job: string) => ({ object }: { readonly object: ObservedObject }): boolean => object.kind === 'Pod' && (object.metadata.ownerReferences ?? []).some(({ kind, name }) => kind === 'Job' && name === job);

export const logged = (event: string, fields: Readonly<Record<string, unknown>> = {}) => ({ line }: ObservationBodies['ingress.line']): boolean =>
  line['event'] === event && Object.entries(fields).every(([key, value]) => line[key] === value);

export const isProbe = (probe: string) => (body: ObservationBodies['probe.result']): boolean => body.probe === probe;
