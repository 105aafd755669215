import { ANNOTATIONS } from '../annotations.ts';
import { CONTRACT_NAMES as NAMES } from '../contract-names.ts';
import type { AuditEvent, ObservationBodies, ObservedObject } from '../observation.ts';
import { DELIVERY } from '../identities.ts';
import { completeRun } from './complete-run.ts';
import type { Row } from './story.ts';
import { productPods, actorPods } from '../facts/worker-pods.ts';
import { ObservedRun } from '../facts/observed-run.ts';
import { productSessions } from '../facts/product-sessions.ts';
import { textIn } from '../facts/rows.ts';
import { publishedRow, actionChains } from '../facts/actions.ts';
import { tokenSessions } from '../facts/token-sessions.ts';

/** The run that the tests alter, and names for what is in it. It is the same every time. */
export const RUN = completeRun();
const run = new ObservedRun(RUN);

export const actors: readonly string[] = actorPods(run).map(({ uid }) => uid);
export const actorNames: readonly string[] = actorPods(run).map(({ name }) => name);
export const products: readonly string[] = productPods(run).map(({ uid }) => uid);
export const productNames: readonly string[] = productPods(run).map(({ name }) => name);
export const sessionIds: readonly string[] = productSessions(run).map(({ sessionId }) => sessionId ?? '');
export const deliveryIds: readonly string[] = actionChains(run).map((chain) => textIn(publishedRow(chain), 'delivery_id') ?? '');
export const sessionTimes = tokenSessions(run).map(({ request, endedMs }) => ({ requestedMs: request.receivedMs, requestedAt: request.event.receivedAt, endedMs }));

export const isPod = (uid: string | undefined) => (object: ObservedObject): boolean => object.kind === 'Pod' && object.metadata.uid === uid;
export const isDeployment = (object: ObservedObject): boolean => object.kind === 'Deployment' && object.metadata.name === NAMES.deployment;
export const isTargetSecret = (object: ObservedObject): boolean => object.kind === 'Secret' && object.metadata.name === NAMES.targetSecret;
export const isClaim = (object: ObservedObject): boolean => object.kind === 'PersistentVolumeClaim';
export const isJob = (name: string) => (object: ObservedObject): boolean => object.kind === 'Job' && object.metadata.name === name;
export const isPodOfJob = (name: string) => (object: ObservedObject): boolean => object.kind === 'Pod' && (object.metadata.ownerReferences ?? []).some((owner) => owner.name === name);
export const isControlPod = (object: ObservedObject): boolean => object.kind === 'Pod' && object.metadata.name.startsWith(NAMES.controlDeployment);

export const printed =
  (podUid: string | undefined, event: string) =>
  ({ podUid: uid, line }: ObservationBodies['process.line']): boolean =>
    uid === podUid && line['event'] === event;

export const logged =
  (event: string, fields: Readonly<Record<string, unknown>> = {}) =>
  ({ line }: ObservationBodies['ingress.line']): boolean =>
    line['event'] === event && Object.entries(fields).every(([key, value]) => line[key] === value);

/** The replace of target Secret or Deployment in one publication (from 1). */
export function replaceOf(resource: 'secrets' | 'deployments', generation: number): (event: AuditEvent) => boolean {
  const name = resource === 'secrets' ? NAMES.targetSecret : NAMES.deployment;
  const all = RUN.flatMap((each) => (each.kind === 'api.audit' && each.body.user === DELIVERY && each.body.verb === 'update' && each.body.name === name ? [each.body] : []));
  return (event) => event.auditId === all[generation - 1]?.auditId;
}

export const ofSession = (index: number, reason: string) => (row: Row): boolean => row['session_id'] === sessionIds[index] && row['reason'] === reason;
export const identityAnnotation = ['metadata', 'annotations', ANNOTATIONS.identityGeneration] as const;
