import { STAGE_INTENT, STAGE_SECRET_PREFIX } from '../annotations.ts';
import { CONTRACT_NAMES, PROBE_NAMES } from '../contract-names.ts';
import { executionResultDigest, publicationDigest } from '../digests.ts';
import { reviewsOf, type ExpectedReview } from '../facts/access-reviews.ts';
import { DELIVERY, HOST_ISSUER, JOB_ISSUER, PROBE_DELIVERY, RECOVERY_ISSUER } from '../identities.ts';
import type { AuditEvent, ExecutorOutput, Generation } from '../observation.ts';
import { secretAnnotations, templateAnnotations, WatchedThing, type Publication } from './object-story.ts';
import { hex, type Row, type Story } from './story.ts';

const TARGET_DIGEST = hex('target');

/** Whose action it is: the contract's or a probe's, on the host or in the executor's Job. */
export interface Stage {
  readonly names: { readonly workerNamespace: string; readonly stageNamespace: string; readonly deployment: string; readonly targetSecret: string; readonly identitySecret: string; readonly deliveryServiceAccount: string; readonly workerId: string; readonly projectId: string };
  readonly issuer: string;
  readonly delivery: string;
  /** Whose token the issuer asks with. */
  readonly pod?: { readonly uid: string; readonly name: string };
  readonly secret: WatchedThing;
  readonly deployment: WatchedThing;
}
export const contractStage = (secret: WatchedThing, deployment: WatchedThing): Stage => ({ names: CONTRACT_NAMES, issuer: HOST_ISSUER, delivery: DELIVERY, secret, deployment });
export const probeStage = (secret: WatchedThing, deployment: WatchedThing): Stage => ({ names: PROBE_NAMES, issuer: PROBE_NAMES.issuerUser, delivery: PROBE_DELIVERY, secret, deployment });

export interface Action extends Publication {
  readonly actionRef: string;
  readonly requestId: string;
  readonly dispatchId: string;
  readonly consumptionId: string;
  readonly previousCredentialId: string | null;
  readonly plan: Row;
  readonly request: Row;
  readonly execution: Row;
}

interface Actor {
  readonly type: 'user' | 'system';
  readonly id: string;
  readonly authenticationId: string;
  readonly assurance: string | null;
}
const user = (id: string, assurance: string): Actor => ({ type: 'user', id, authenticationId: `local-${id}`, assurance });
const EXECUTOR: Actor = { type: 'system', id: 'cluster_worker_credential_executor', authenticationId: 'cluster_worker_credential_executor_v1', assurance: null };

function auditRow(story: Story, action: string, outcome: string, { type, id, authenticationId, assurance }: Actor, about: Row): string {
  const eventId = story.uuid();
  story.row('security_audit_events', { event_id: eventId, occurred_at_ms: story.pass(), action, outcome, subject_type: type, subject_id: id, authentication_id: authenticationId, assurance, project_id: null, ...about });
  return eventId;
}

/** One step of an approval: the columns of the request, and the row that the security audit gets in the same transaction. */
function approvalStep(story: Story, step: 'requested' | 'decided' | 'consumed', actor: Actor, request: Row, outcome: string): Row {
  const action = { requested: 'approval.request', decided: 'approval.decide', consumed: 'approval.consume' }[step];
  const eventId = auditRow(story, action, outcome, actor, { project_id: request['authority_project_id'] ?? null, resource_type: 'approval_request', resource_id: request['request_id'] ?? null });
  return {
    [`${step}_by_id`]: actor.id,
    [`${step}_authentication_id`]: actor.authenticationId,
    ...(step === 'consumed' ? {} : { [`${step}_assurance`]: actor.assurance }),
    [`${step}_project_version`]: 1,
    [`${step}_binding_version`]: 1,
    [`${step}_audit_event_id`]: eventId,
    [`${step}_at_ms`]: story.nowMs,
  };
}

/** Projects, and who may act in them. */
export function tellAuthority(story: Story): void {
  for (const { projectId } of [CONTRACT_NAMES, PROBE_NAMES]) {
    story.row('projects', { project_id: projectId, state: 'active', version: 1 });
    for (const id of [CONTRACT_NAMES.requester, CONTRACT_NAMES.decider]) story.row('project_role_bindings', { project_id: projectId, subject_type: 'user', subject_id: id, version: 1, role: 'owner', state: 'active', bound_at_ms: story.pass() });
  }
}

/** A plan, as one person leaves it in the database; nothing asked or decided yet. */
export function plan(story: Story, stage: Stage, credentialId: string, previousCredentialId: string | null, requester: string = CONTRACT_NAMES.requester): Action {
  const actionRef = `live/${credentialId}`;
  const [deliveryId, requestId, dispatchId, consumptionId] = [story.uuid(), `request-${credentialId}`, `dispatch-${credentialId}`, `consumption-${credentialId}`];
  const generation = `generation-${credentialId}`;
  const tokenDigest = hex(`token ${credentialId}`);
  const publication = { deliveryId, workerId: stage.names.workerId, credentialId, credentialVersion: 1, previousCredentialId, tokenDigest, deploymentGeneration: generation };
  const action = previousCredentialId === null ? 'issue' : 'rotate';
  const planned = story.row('worker_credential_management_plans', {
    action_ref: actionRef,
    authority_project_id: stage.names.projectId,
    action,
    action_type: `worker_credential.delivery.${action}`,
    delivery_id: deliveryId,
    worker_id: stage.names.workerId,
    credential_id: credentialId,
    previous_credential_id: previousCredentialId,
    deployment_target_digest: TARGET_DIGEST,
    deployment_generation: generation,
    requested_by_id: requester,
    planned_at_ms: story.pass(),
    expires_at_ms: story.nowMs + 600_000,
    credential_not_before_at_ms: story.nowMs - 60_000,
    credential_expires_at_ms: story.nowMs + 86_400_000,
    plan_digest: hex(`plan ${credentialId}`),
    preview_digest: hex(`preview ${credentialId}`),
  });
  const digest = publicationDigest(TARGET_DIGEST, stage.secret.uid, publication);
  return { deliveryId, credentialId, generation, tokenDigest, publicationDigest: digest, actionRef, requestId, dispatchId, consumptionId, previousCredentialId, plan: planned, request: {}, execution: {} };
}

export function request(story: Story, action: Action): void {
  const { plan: planned } = action;
  const asked = {
    request_id: action.requestId,
    version: 1,
    state: 'pending',
    authority_project_id: planned['authority_project_id'] ?? null,
    action_ref: action.actionRef,
    action_type: planned['action_type'] ?? null,
    action_digest: planned['plan_digest'] ?? null,
    preview_digest: planned['preview_digest'] ?? null,
    expires_at_ms: planned['expires_at_ms'] ?? null,
    plan_expires_at_ms: planned['expires_at_ms'] ?? null,
    separation_of_duty: true,
    decision: null,
    decided_by_id: null,
  };
  story.row('approval_requests', Object.assign(action.request, asked, approvalStep(story, 'requested', user(String(planned['requested_by_id']), 'multi_factor'), asked, 'approval_required')));
}

/** Plan, request and decision, as two people leave them in the database. */
export function approve(story: Story, stage: Stage, credentialId: string, previousCredentialId: string | null, requester: string = CONTRACT_NAMES.requester): Action {
  const action = plan(story, stage, credentialId, previousCredentialId, requester);
  request(story, action);
  Object.assign(action.request, { version: 2, state: 'approved', decision: 'approved' }, approvalStep(story, 'decided', user(CONTRACT_NAMES.decider, 'hardware'), action.request, 'allowed'));
  return action;
}

export function consume(story: Story, action: Action): void {
  Object.assign(action.request, { version: 3, state: 'consumed', consumption_id: action.consumptionId, dispatch_id: action.dispatchId }, approvalStep(story, 'consumed', EXECUTOR, action.request, 'allowed'));
  story.row('approved_action_dispatches', {
    dispatch_id: action.dispatchId,
    approval_request_id: action.requestId,
    consumption_id: action.consumptionId,
    action_ref: action.actionRef,
    action_type: action.request['action_type'] ?? null,
    action_digest: action.request['action_digest'] ?? null,
    preview_digest: action.request['preview_digest'] ?? null,
    dispatched_by_id: EXECUTOR.id,
    dispatched_at_ms: story.nowMs,
  });
  const pending = { dispatch_id: action.dispatchId, action_ref: action.actionRef, state: 'pending', version: 1, attempt: 0, lease_token: null, lease_expires_at_ms: null, retry_at_ms: null, reason_code: null };
  Object.assign(action.execution, story.row('approved_action_executions', Object.assign(action.execution, pending)));
}

export function start(story: Story, action: Action): void {
  Object.assign(action.execution, { state: 'executing', version: 3, attempt: 1, claimed_at_ms: story.pass(), started_at_ms: story.nowMs });
}

export function complete(story: Story, stage: Stage, action: Action): void {
  const result = { deliveryId: action.deliveryId, credentialId: action.credentialId, workerId: stage.names.workerId, deploymentGeneration: action.generation, publicationDigest: action.publicationDigest };
  Object.assign(action.execution, { state: 'succeeded', version: 4, completed_at_ms: story.pass(), result_digest: executionResultDigest(result) });
}

/** Reviews, TokenRequest, reviews under the token: who may do what, as the API server logs it. */
export function obtainToken(story: Story, stage: Stage, tokenId: string): void {
  const asIssuer = identityFields(stage);
  const reviews = reviewsOf(stage.names);
  review(story, asIssuer, reviews.issuer);
  story.audit({ ...asIssuer, verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace: stage.names.stageNamespace, name: CONTRACT_NAMES.deliveryServiceAccount, code: 201, tokenRequest: { expirationSeconds: 600, audiences: [], boundPodUid: null } });
  review(story, { user: stage.delivery, credentialId: tokenId }, reviews.delivery);
}

function identityFields({ issuer, pod }: Stage): Pick<AuditEvent, 'user' | 'impersonatedUser' | 'credentialId' | 'podUid' | 'podName'> {
  return { user: issuer.startsWith('system:') ? issuer : 'system:admin', impersonatedUser: issuer.startsWith('system:') ? null : issuer, credentialId: pod === undefined ? null : `JTI=${pod.uid}`, podUid: pod?.uid ?? null, podName: pod?.name ?? null };
}

function review(story: Story, who: Partial<AuditEvent> & Pick<AuditEvent, 'user'>, expected: readonly ExpectedReview[]): void {
  for (const { allowed, verb, group, resource, subresource = '', namespace = 'ql3-worker-rollout-live', name, anotherThan } of expected) {
    const accessReview = { verb, group, resource, subresource, namespace, name: name ?? (anotherThan === undefined ? '' : 'ql3-access-review'), allowed };
    story.audit({ ...who, verb: 'create', resource: 'selfsubjectaccessreviews', apiGroup: 'authorization.k8s.io', code: 201, accessReview });
  }
}

/** Answers with what takes the stage away again. */
export function stageToken(story: Story, stage: Stage, action: Action, tokenId: string): () => void {
  const name = STAGE_SECRET_PREFIX + action.deliveryId.replaceAll('-', '');
  story.audit({ verb: 'create', user: stage.delivery, credentialId: tokenId, resource: 'secrets', namespace: stage.names.stageNamespace, name, code: 201 });
  const staged = new WatchedThing(story, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: stage.names.stageNamespace, annotations: { [STAGE_INTENT]: intentOf(stage, action) } }, type: 'qinglong.io/worker-credential-stage-v1', dataKeys: ['credentialToken'] }, null);
  const common = {
    delivery_id: action.deliveryId,
    worker_id: stage.names.workerId,
    credential_id: action.credentialId,
    credential_version: 1,
    previous_credential_id: action.previousCredentialId,
    token_digest: action.tokenDigest,
    deployment_target_digest: TARGET_DIGEST,
    deployment_generation: action.generation,
  };
  mutate(story, 'issue', action.credentialId, action.deliveryId, stage.names.workerId);
  const { credential_not_before_at_ms: notBefore = null, credential_expires_at_ms: expires = null } = action.plan;
  story.row('worker_credentials', { credential_id: action.credentialId, worker_id: stage.names.workerId, version: 1, state: 'active', issued_at_ms: story.nowMs, not_before_at_ms: notBefore, expires_at_ms: expires, revoked_at_ms: null });
  story.row('worker_credential_deliveries', { ...common, version: 1, state: 'credential_committed', credential_committed_at_ms: story.nowMs });
  return () => {
    story.audit({ ...staged.asked, verb: 'delete', user: stage.delivery, credentialId: tokenId, name });
    staged.vanish();
  };
}

function intentOf(stage: Stage, { deliveryId, credentialId, tokenDigest, generation }: Action): string {
  return JSON.stringify({ deliveryId, workerId: stage.names.workerId, credentialId, tokenDigest, deploymentGeneration: generation });
}

function mutate(story: Story, operation: 'issue' | 'revoke', credentialId: string, deliveryId: string, workerId: string): void {
  const eventId = auditRow(story, `worker_credential.${operation}`, 'succeeded', EXECUTOR, { resource_type: 'worker_credential', resource_id: credentialId });
  story.row('worker_credential_mutations', {
    mutation_id: story.uuid(),
    credential_id: credentialId,
    credential_version: operation === 'issue' ? 1 : 2,
    operation,
    worker_id: workerId,
    delivery_id: deliveryId,
    subject_type: EXECUTOR.type,
    subject_id: EXECUTOR.id,
    authentication_id: EXECUTOR.authenticationId,
    audit_event_id: eventId,
    mutated_at_ms: story.nowMs,
  });
}

/** One recovery pass over the contract's deliveries: what a Worker was seen with is finished, and its predecessor revoked. */
export function recover(story: Story, stage: Stage, observed: readonly string[]): void {
  obtainToken(story, { ...stage, issuer: RECOVERY_ISSUER }, `JTI=${story.uuid()}`);
  const startedAt = story.nowIso;
  const published = story.rowsOf('worker_credential_deliveries').filter((row) => row['worker_id'] === stage.names.workerId && row['state'] === 'published');
  const deliveries = published.map((row) => {
    const [deliveryId, previous] = [String(row['delivery_id']), String(row['previous_credential_id'])];
    if (!observed.includes(String(row['credential_id']))) return { deliveryId, status: 'superseded' };
    const seen = story.rowsOf('worker_credential_deliveries').find((later) => later['delivery_id'] === deliveryId && later['state'] === 'observed');
    mutate(story, 'revoke', previous, deliveryId, stage.names.workerId);
    Object.assign(story.rowsOf('worker_credentials').find((credential) => credential['credential_id'] === previous) ?? {}, { state: 'revoked', version: 2, revoked_at_ms: story.nowMs });
    story.row('worker_credential_deliveries', { ...seen, version: 4, state: 'previous_revoked', previous_revoked_at_ms: story.nowMs });
    return { deliveryId, status: 'completed' };
  });
  story.tell('action.recovery-session', { startedAt, endedAt: new Date(story.pass()).toISOString(), clientDisposed: true, deliveries });
}

function onObject(stage: Stage, tokenId: string, thing: WatchedThing): Pick<AuditEvent, 'user' | 'credentialId' | 'resource' | 'apiGroup' | 'namespace' | 'name'> {
  const deployment = thing === stage.deployment;
  return { user: stage.delivery, credentialId: tokenId, resource: deployment ? 'deployments' : 'secrets', apiGroup: deployment ? 'apps' : '', namespace: stage.names.workerNamespace, name: thing.name };
}

export function swapSecret(story: Story, stage: Stage, action: Action, tokenId: string, code = 200): void {
  const request = onObject(stage, tokenId, stage.secret);
  story.audit({ ...request, verb: 'get' });
  story.audit({ ...request, verb: 'update', resourceVersion: stage.secret.resourceVersion, code });
  if (code === 200) stage.secret.become({ metadata: { annotations: secretAnnotations(action) }, dataKeys: [CONTRACT_NAMES.targetDataKey] });
}

export function swapDeployment(story: Story, stage: Stage, action: Action, tokenId: string, code = 200): void {
  const request = onObject(stage, tokenId, stage.deployment);
  story.audit({ ...request, verb: 'get' });
  story.audit({ ...request, verb: 'update', resourceVersion: stage.deployment.resourceVersion, code });
  if (code === 200) stage.deployment.become({ spec: { template: { metadata: { annotations: templateAnnotations(action) } } } });
}

export function recordPublished(story: Story, action: Action): void {
  const committed = story.rowsOf('worker_credential_deliveries').find((row) => row['delivery_id'] === action.deliveryId);
  story.row('worker_credential_deliveries', { ...committed, version: 2, state: 'published', published_at_ms: story.pass(), publication_digest: action.publicationDigest });
}

export function outputOf(action: Action, replay: boolean): ExecutorOutput {
  return {
    schemaVersion: 1,
    component: 'qinglong3-worker-credential-executor',
    event: 'execution_completed',
    actionRef: action.actionRef,
    dispatchId: action.dispatchId,
    executionStatus: replay ? 'existing' : 'succeeded',
    deliveryStatus: replay ? 'existing' : 'published',
    tokenRequestUsed: !replay,
  };
}

/** Everything between the consumed approval and the completed execution. */
export function deliver(story: Story, stage: Stage, action: Action): { readonly startedAt: string; readonly endedAt: string } {
  const tokenId = `JTI=${story.uuid()}`;
  start(story, action);
  obtainToken(story, stage, tokenId);
  const startedAt = story.nowIso;
  const discard = stageToken(story, stage, action, tokenId);
  swapSecret(story, stage, action, tokenId);
  swapDeployment(story, stage, action, tokenId);
  recordPublished(story, action);
  discard();
  story.pass();
  const endedAt = story.nowIso;
  complete(story, stage, action);
  return { startedAt, endedAt };
}

/** Generation n on the host, and its exact replay. */
export function executeOnHost(story: Story, stage: Stage, generation: Generation): Action {
  const [credentialId, previous] = [`live_generation_${generation}`, generation === 1 ? null : `live_generation_${generation - 1}`];
  const action = approve(story, stage, credentialId, previous);
  const { actionRef, deliveryId, publicationDigest: digest } = action;
  story.tell('action.authorization-confirmed', { generation, replay: false, purpose: 'before_execution', actionRef });
  consume(story, action);
  story.tell('action.authorization-confirmed', { generation, replay: false, purpose: 'before_authority', actionRef });
  const session = deliver(story, stage, action);
  story.tell('action.token-session', { generation, ...session, tokenLifetimeSeconds: 600, issuerAllowedChecks: 1, issuerDeniedChecks: 8, allowedChecks: 8, deniedChecks: 20, clientDisposed: true });
  story.tell('action.completed', { generation, replay: false, output: outputOf(action, false), deliveryId, credentialId, publicationDigest: digest });
  story.pass(50);
  story.tell('action.authorization-confirmed', { generation, replay: true, purpose: 'before_execution', actionRef });
  story.tell('action.completed', { generation, replay: true, output: outputOf(action, true), deliveryId, credentialId, publicationDigest: digest });
  return action;
}

export const jobStage = (stage: Stage, pod: NonNullable<Stage['pod']>): Stage => ({ ...stage, issuer: JOB_ISSUER, pod });
