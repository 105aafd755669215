import { CONTRACT_NAMES, PROBE_NAMES } from '../contract-names.ts';
import { DATABASE_ROLES, DELIVERY, HOST_ISSUER, JOB_ISSUER, PROBE_DELIVERY } from '../identities.ts';
import type { ProbeId } from '../observation.ts';
import type { FactsOf } from '../probe-facts.ts';
import { approve, consume, obtainToken, plan, probeStage, recordPublished, request, stageToken, start, swapDeployment, swapSecret, complete, type Action, type Stage } from './action-story.ts';
import { fingerprintOf } from './actor-story.ts';
import { executorPod } from './executor-job-story.ts';
import { WatchedPod, WatchedThing, workerTemplate } from './object-story.ts';
import { ENDPOINTS, imageNameOf } from './platform-story.ts';
import { ProductStory, type IngressStory } from './product-story.ts';
import type { Story } from './story.ts';

/** Encloses what happens in an attempt, and records what came of it. */
function probe<P extends ProbeId>(story: Story, id: P, attempt: () => FactsOf<P>, outcome = 'as recorded'): void {
  story.pass(30);
  const startedAt = story.nowIso;
  const facts = attempt();
  story.pass(30);
  story.tell('probe.result', { probe: id, attempt: id, outcome, startedAt, endedAt: story.nowIso, facts });
}

/** Objects of the probes' own namespaces. */
function probeObjects(story: Story): Stage {
  const secret = new WatchedThing(story, { apiVersion: 'v1', kind: 'Secret', metadata: { name: PROBE_NAMES.targetSecret, namespace: PROBE_NAMES.workerNamespace }, dataKeys: [] });
  const annotations = { 'qinglong.io/worker-identity-generation': 'product-identity-a' };
  const deployment = new WatchedThing(story, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: PROBE_NAMES.deployment, namespace: PROBE_NAMES.workerNamespace },
    spec: { strategy: { type: 'Recreate' }, template: workerTemplate(PROBE_NAMES, annotations, imageNameOf('worker')) },
  });
  return probeStage(secret, deployment);
}

function prepared(story: Story, stage: Stage, number: number): { readonly action: Action; readonly tokenId: string } {
  const action = approve(story, stage, `probe_generation_${number}`, number === 1 ? null : `probe_generation_${number - 1}`);
  consume(story, action);
  start(story, action);
  return { action, tokenId: `JTI=${story.uuid()}` };
}

function contest(story: Story, stage: Stage, id: 'competing-writer-secret' | 'competing-writer-deployment', number: number): void {
  const { action, tokenId } = prepared(story, stage, number);
  probe(story, id, () => {
    obtainToken(story, stage, tokenId);
    stageToken(story, stage, action, tokenId);
    const [thing, resource] = id === 'competing-writer-secret' ? [stage.secret, 'secrets'] : [stage.deployment, 'deployments'];
    if (thing === stage.deployment) swapSecret(story, stage, action, tokenId);
    story.audit({ verb: 'update', user: 'system:admin', resource, namespace: PROBE_NAMES.workerNamespace, name: thing.name, resourceVersion: thing.resourceVersion });
    if (thing === stage.deployment) swapDeployment(story, stage, action, tokenId, 409);
    else swapSecret(story, stage, action, tokenId, 409);
    thing.become({ metadata: { labels: { 'qinglong.io/rollout-probe-rival': id } } });
    return { deliveryId: action.deliveryId, conflictStatus: 409, ending: 'refused', errorCode: 'WORKER_CREDENTIAL_DELIVERY_CONFLICT' };
  });
  const tokenOfTheSecond = `JTI=${story.uuid()}`;
  obtainToken(story, stage, tokenOfTheSecond);
  finishDelivery(story, stage, action, tokenOfTheSecond, id === 'competing-writer-secret');
}

function finishDelivery(story: Story, stage: Stage, action: Action, tokenId: string, withSecret: boolean): void {
  if (withSecret) swapSecret(story, stage, action, tokenId);
  swapDeployment(story, stage, action, tokenId);
  recordPublished(story, action);
  complete(story, stage, action);
}

function tellDeliveryProbes(story: Story, stage: Stage): void {
  contest(story, stage, 'competing-writer-secret', 1);
  contest(story, stage, 'competing-writer-deployment', 2);
  const crash = prepared(story, stage, 3);
  probe(story, 'crash-between-secret-and-deployment', () => {
    obtainToken(story, stage, crash.tokenId);
    stageToken(story, stage, crash.action, crash.tokenId);
    swapSecret(story, stage, crash.action, crash.tokenId);
    const recoveryTokenId = `JTI=${story.uuid()}`;
    obtainToken(story, { ...stage, issuer: PROBE_NAMES.recoveryUser }, recoveryTokenId);
    finishDelivery(story, stage, crash.action, recoveryTokenId, false);
    return { deliveryId: crash.action.deliveryId, signal: 'SIGKILL', recoveredPublicationDigest: crash.action.publicationDigest };
  });
  const lost = prepared(story, stage, 4);
  probe(story, 'lost-replace-response', () => {
    obtainToken(story, stage, lost.tokenId);
    stageToken(story, stage, lost.action, lost.tokenId);
    swapSecret(story, stage, lost.action, lost.tokenId);
    story.audit({ verb: 'get', user: PROBE_DELIVERY, credentialId: lost.tokenId, resource: 'secrets', namespace: PROBE_NAMES.workerNamespace, name: stage.secret.name });
    finishDelivery(story, stage, lost.action, lost.tokenId, false);
    return { deliveryId: lost.action.deliveryId, resource: 'secrets', ending: 'converged', publicationDigest: lost.action.publicationDigest };
  });
  probe(story, 'disposed-client', () => {
    const credentialId = `JTI=${story.uuid()}`;
    obtainToken(story, stage, credentialId);
    story.audit({ verb: 'list', user: PROBE_DELIVERY, credentialId, resource: 'secrets', namespace: PROBE_NAMES.stageNamespace });
    story.pass(3);
    return { threw: true, sessionMembers: ['discard', 'findStage', 'inventory', 'publish', 'stage', 'targetDigest', 'withDelivery'], disposedAt: story.nowIso };
  });
}

function tellApprovalProbes(story: Story, stage: Stage): void {
  const refused = (id: 'self-approval' | 'expired-plan' | 'wrong-digest', prepare: (action: Action) => void, errorCode: string): void => {
    const action = plan(story, stage, `probe_${id.replaceAll('-', '_')}`, null);
    prepare(action);
    story.pass(10);
    probe(story, id, () => ({ actionRef: action.actionRef, approvalRequestId: id === 'self-approval' ? action.requestId : null, errorCode }), errorCode);
  };
  refused('self-approval', (action) => request(story, action), 'QL3_MANAGEMENT_SELF_APPROVAL');
  refused('expired-plan', ({ plan: planned }) => Object.assign(planned, { expires_at_ms: Number(planned['planned_at_ms']) + 1 }), 'QL3_MANAGEMENT_PLAN_EXPIRED');
  refused('wrong-digest', () => undefined, 'QL3_MANAGEMENT_PLAN_DIGEST_MISMATCH');
  const bind = (version: number, state: string): unknown => story.row('project_role_bindings', { project_id: PROBE_NAMES.projectId, subject_type: 'user', subject_id: PROBE_NAMES.revokedUser, version, role: 'owner', state, bound_at_ms: story.pass() });
  bind(1, 'active');
  const action = approve(story, stage, 'probe_revoked_binding', null, PROBE_NAMES.revokedUser);
  bind(2, 'revoked');
  const errorCode = 'QL3_WORKER_CREDENTIAL_EXECUTION_REFUSED';
  probe(story, 'revoked-binding', () => ({ actionRef: action.actionRef, approvalRequestId: action.requestId, errorCode, userId: PROBE_NAMES.revokedUser }), errorCode);
}

function tellForbidden(story: Story): void {
  const { workerNamespace: namespace, targetSecret, identitySecret } = CONTRACT_NAMES;
  for (const [id, identity, name, account] of [
    ['issuer-forbidden-verb', HOST_ISSUER, targetSecret, null],
    ['delivery-forbidden-verb', DELIVERY, identitySecret, { namespace: CONTRACT_NAMES.stageNamespace, name: CONTRACT_NAMES.deliveryServiceAccount }],
    ['executor-forbidden-verb', JOB_ISSUER, targetSecret, { namespace: CONTRACT_NAMES.executorNamespace, name: CONTRACT_NAMES.executorServiceAccount }],
  ] as const) {
    probe(story, id, () => {
      const impersonated = identity === HOST_ISSUER;
      if (account !== null) story.audit({ verb: 'create', user: 'system:admin', resource: 'serviceaccounts', subresource: 'token', ...account, code: 201, tokenRequest: { expirationSeconds: 600, audiences: [], boundPodUid: null } });
      story.audit({ verb: 'get', user: impersonated ? 'system:admin' : identity, impersonatedUser: impersonated ? identity : null, credentialId: impersonated ? null : `JTI=${story.uuid()}`, resource: 'secrets', namespace, name, code: 403 });
      return { verb: 'get', resource: 'secrets', namespace, name, status: 403 };
    });
  }
  for (const role of Object.values(DATABASE_ROLES)) {
    probe(story, 'database-forbidden-statement', () => ({ role, statement: 'DELETE FROM ql3.worker_credentials', sqlState: '42501' }), 'refused');
  }
}

function tellEgress(story: Story, ingress: IngressStory): void {
  const inside = { host: ENDPOINTS.database.cidr.replace('/32', ''), port: ENDPOINTS.database.port };
  const outside = { host: '10.42.0.7', port: 5801 };
  const pod = executorPod(story, 'ql3-worker-credential-egress-probe', null);
  pod.run();
  const line = { schemaVersion: 1, event: 'egress_probed', inside: { ...inside, outcome: 'connected' }, outside: { ...outside, outcome: 'ECONNREFUSED' } };
  story.tell('process.line', { podUid: pod.uid, podName: pod.name, container: 'executor', index: 0, line });
  pod.end(story.nowSecond);
  probe(story, 'egress-inside', () => ({ podUid: pod.uid, address: inside.host, port: inside.port, reached: true }), 'connected');
  probe(story, 'egress-outside', () => ({ podUid: pod.uid, address: outside.host, port: outside.port, reached: false }), 'ECONNREFUSED');
  story.pass(ingress.pod.uid.length);
}

/** What disturbs nothing of the contract's own objects. */
export function tellSideProbes(story: Story, ingress: IngressStory, egress: boolean): void {
  tellForbidden(story);
  const stage = probeObjects(story);
  tellApprovalProbes(story, stage);
  tellDeliveryProbes(story, stage);
  if (egress) tellEgress(story, ingress);
  const product = new ProductStory(story, ingress, stage.deployment, PROBE_NAMES, 0);
  const abandoned = product.begin();
  probe(story, 'abandoned-session', () => {
    product.kill(abandoned.pod, abandoned.session);
    const successor = product.begin();
    return {
      workerId: PROBE_NAMES.workerId,
      killedPodUid: abandoned.pod.uid,
      abandonedSessionId: abandoned.session.sessionId,
      successorPodUid: successor.pod.uid,
      successorSessionId: successor.session.sessionId,
    };
  });
}

/** What was replaced is presented to the ingress again. */
export function tellIngressProbes(story: Story, ingress: IngressStory): void {
  ingress.reload();
  const pod = new WatchedPod(story, 'worker', { name: 'ql3-worker-ingress-probe', namespace: CONTRACT_NAMES.workerNamespace }, { nodeName: 'ql3-node', containers: [{ name: 'probe', image: imageNameOf('worker') }] });
  let index = 0;
  const print = (attempt: ProbeId, startedAt: string, answer: object): void => {
    story.tell('process.line', { podUid: pod.uid, podName: pod.name, container: 'probe', index, line: { schemaVersion: 1, component: 'qinglong3-ingress-probe', event: 'ingress_probed', attempt, startedAt, endedAt: story.nowIso, ...answer } });
    index += 1;
  };
  for (const [id, reason] of [
    ['handshake-without-certificate', 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE'],
    ['handshake-revoked-certificate', 'CERT_REVOKED'],
  ] as const) {
    const localPort = ingress.nextPort();
    const refused = (): void => {
      const startedAt = story.nowIso;
      ingress.line('tls_handshake_refused', { peerPort: localPort, reason });
      print(id, startedAt, { answered: false, status: null, code: null, localPort, error: 'ECONNRESET' });
    };
    probe(story, id, () => {
      refused();
      return id === 'handshake-without-certificate' ? { refused: true, localPort } : { refused: true, localPort, fingerprint: fingerprintOf('product-identity-a') };
    });
  }
  const code = 'worker_authentication_required';
  const reason = 'credential_not_active';
  for (const [id, credentialId] of [
    ['revoked-token', 'live_generation_2'],
    ['superseded-token', 'live_generation_3'],
  ] as const) {
    probe(story, id, () => {
      const [startedAt, sessionId, fingerprint] = [story.nowIso, story.sessionId(), fingerprintOf('product-identity-b')];
      const localPort = ingress.connect(fingerprint);
      story.row('security_audit_events', { event_id: story.uuid(), occurred_at_ms: story.pass(), action: 'worker_session.heartbeat', outcome: 'denied', subject_type: 'anonymous', subject_id: null, resource_id: sessionId, reason_code: reason });
      ingress.line('worker_request', { operation: 'heartbeat', workerId: CONTRACT_NAMES.workerId, sessionId, credentialId: null, status: 401, code, reason, generation: null, version: null, clientCertificateFingerprint: fingerprint, tlsProtocol: 'TLSv1.3', peerPort: localPort });
      print(id, startedAt, { answered: true, status: 401, code, localPort, error: null });
      return { credentialId, status: 401, code };
    });
  }
}
