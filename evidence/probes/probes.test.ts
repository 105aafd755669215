import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deriveReport } from '../derive.ts';
import { DELIVERY, HOST_ISSUER, JOB_ISSUER, PROBE_DELIVERY } from '../identities.ts';
import { PROBE_IDS, type AuditEvent, type ObservationBodies, type ProbeId } from '../observation.ts';
import { alter, alterObject, alterRow, drop, dropRow, insertAfter, type Lie } from '../testing/lies.ts';
import { isControlPod, logged, RUN } from '../testing/scenes.ts';
import { renumber, type Row } from '../testing/story.ts';

type Body = ObservationBodies['probe.result'];
const facts = (probe: ProbeId, change: Body['facts']): Lie => alter('probe.result', (body) => body.probe === probe, (body) => ({ ...body, facts: { ...body.facts, ...change } }));
const outcome = (probe: ProbeId, said: string): Lie => alter('probe.result', (body) => body.probe === probe, (body) => ({ ...body, outcome: said }));
const resultOf = (probe: ProbeId): Body => {
  const found = RUN.find((each) => each.kind === 'probe.result' && each.body.probe === probe);
  assert.equal(found?.kind, 'probe.result');
  return found.body;
};
const duringProbe = (probe: ProbeId, matches: (event: AuditEvent) => boolean) => (event: AuditEvent): boolean => {
  const { startedAt, endedAt } = resultOf(probe);
  return event.receivedAt >= startedAt && event.receivedAt <= endedAt && matches(event);
};
const update = (name: string, user = PROBE_DELIVERY) => (event: AuditEvent): boolean => event.verb === 'update' && event.name === name && event.user === user;
const SECRET = 'ql3-worker-probe-credential';
const DEPLOYMENT = 'ql3-worker-probe';
const forbidden = (identity: string) => (event: AuditEvent): boolean => (event.impersonatedUser ?? event.user) === identity && event.code === 403;
const answered = (attempt: ProbeId) => ({ line }: ObservationBodies['process.line']): boolean => line['event'] === 'ingress_probed' && line['attempt'] === attempt;
const published = (probe: ProbeId) => (row: Row): boolean => row['delivery_id'] === resultOf(probe).facts['deliveryId'] && row['state'] === 'published';
const portOf = (probe: ProbeId): unknown => resultOf(probe).facts['localPort'];

/** For each probe, how it may have failed, or never have been made, although its result says otherwise. */
const LIES: Readonly<Record<ProbeId, readonly (() => Lie)[]>> = {
  'competing-writer-secret': [
    () => drop('api.audit', duringProbe('competing-writer-secret', (event) => event.code === 409)),
    () => drop('api.audit', duringProbe('competing-writer-secret', update(SECRET, 'system:admin'))),
    () => facts('competing-writer-secret', { errorCode: null }),
    () => insertAfter('api.audit', duringProbe('competing-writer-secret', (event) => event.code === 409), (body) => ({ ...body, code: 200, receivedAt: resultOf('competing-writer-secret').endedAt })),
    () => facts('competing-writer-secret', { ending: 'converged', deliveryId: 'unknown' }),
  ],
  'competing-writer-deployment': [
    () => drop('api.audit', duringProbe('competing-writer-deployment', (event) => event.code === 409)),
    () => drop('api.audit', duringProbe('competing-writer-deployment', update(DEPLOYMENT, 'system:admin'))),
    () => facts('competing-writer-deployment', { conflictStatus: 200 }),
  ],
  'crash-between-secret-and-deployment': [
    () => facts('crash-between-secret-and-deployment', { signal: 'none' }),
    () => insertAfter('api.audit', duringProbe('crash-between-secret-and-deployment', update(SECRET)), (body) => body),
    () => drop('api.audit', duringProbe('crash-between-secret-and-deployment', update(DEPLOYMENT))),
    () => dropRow('worker_credential_deliveries', published('crash-between-secret-and-deployment')),
    () => facts('crash-between-secret-and-deployment', { recoveredPublicationDigest: '0'.repeat(64) }),
  ],
  'lost-replace-response': [
    () => insertAfter('api.audit', duringProbe('lost-replace-response', update(SECRET)), (body) => body),
    () => drop('api.audit', duringProbe('lost-replace-response', update(SECRET))),
    () => facts('lost-replace-response', { ending: 'refused' }),
    () => facts('lost-replace-response', { resource: 'pods' }),
    () => dropRow('worker_credential_deliveries', published('lost-replace-response')),
  ],
  'self-approval': [
    () => alterRow('approval_requests', (row) => row['request_id'] === resultOf('self-approval').facts['approvalRequestId'], { state: 'approved' }),
    () => facts('self-approval', { errorCode: 'none' }),
    () => facts('self-approval', { approvalRequestId: null }),
    () => outcome('self-approval', 'succeeded'),
    () => facts('self-approval', { errorCode: '23514' }),
    () => dropRow('approval_requests', (row) => row['request_id'] === resultOf('self-approval').facts['approvalRequestId']),
  ],
  'expired-plan': [
    () => alterRow('worker_credential_management_plans', (row) => row['action_ref'] === 'live/probe_expired_plan', { expires_at_ms: 9_999_999_999_999 }),
    () => facts('expired-plan', { errorCode: 'none' }),
    () => alterRow('worker_credential_management_plans', (row) => row['action_ref'] === 'live/probe_expired_plan', { expires_at_ms: Date.parse(resultOf('expired-plan').startedAt) + 10 }),
    () => alterRow('approval_requests', (row) => row['action_ref'] === 'live/probe_self_approval', { action_ref: 'live/probe_expired_plan' }),
    () => alterRow('approved_action_dispatches', (row) => row['action_ref'] === 'live/probe_generation_1', { action_ref: 'live/probe_expired_plan' }),
  ],
  'wrong-digest': [
    () => facts('wrong-digest', { errorCode: 'none' }),
    () => facts('wrong-digest', { actionRef: 'live/probe_expired_plan' }),
    () => alterRow('approved_action_dispatches', (row) => row['action_ref'] === 'live/probe_generation_1', { action_ref: 'live/probe_wrong_digest' }),
    () => dropRow('worker_credential_management_plans', (row) => row['action_ref'] === 'live/probe_wrong_digest'),
  ],
  'revoked-binding': [
    () => dropRow('project_role_bindings', (row) => row['state'] === 'revoked'),
    () => facts('revoked-binding', { errorCode: 'none' }),
    () => alterRow('project_role_bindings', (row) => row['state'] === 'revoked', { bound_at_ms: Date.parse(resultOf('revoked-binding').endedAt) }),
    () => alterRow('project_role_bindings', (row) => row['state'] === 'revoked', { bound_at_ms: 1 }),
    () => alterRow('worker_credential_management_plans', (row) => row['action_ref'] === 'live/probe_revoked_binding', { requested_by_id: 'operator-a' }),
    () => alterRow('approval_requests', (row) => row['action_ref'] === 'live/probe_revoked_binding', { state: 'pending' }),
    () => facts('revoked-binding', { errorCode: 'ECONNREFUSED' }),
    () => alterRow('approved_action_dispatches', (row) => row['action_ref'] === 'live/probe_generation_1', { action_ref: 'live/probe_revoked_binding' }),
  ],
  'issuer-forbidden-verb': [() => drop('api.audit', forbidden(HOST_ISSUER)), () => alter('api.audit', forbidden(HOST_ISSUER), (body) => ({ ...body, name: 'other' })), () => facts('issuer-forbidden-verb', { status: 200 })],
  'delivery-forbidden-verb': [() => drop('api.audit', forbidden(DELIVERY)), () => alter('api.audit', forbidden(DELIVERY), (body) => ({ ...body, user: PROBE_DELIVERY })), () => facts('delivery-forbidden-verb', { status: 404 })],
  'executor-forbidden-verb': [() => drop('api.audit', forbidden(JOB_ISSUER)), () => alter('api.audit', forbidden(JOB_ISSUER), (body) => ({ ...body, receivedAt: '2026-01-15T10:00:00.000000Z' })), () => facts('executor-forbidden-verb', { status: 200 })],
  'database-forbidden-statement': [
    () => drop('probe.result', (body) => body.facts['role'] === 'ql3_migration'),
    () => alter('probe.result', (body) => body.facts['role'] === 'ql3_runtime', (body) => ({ ...body, startedAt: resultOf('database-forbidden-statement').startedAt })),
    () => outcome('database-forbidden-statement', 'answered'),
    () => alter('probe.result', (body) => body.facts['role'] === 'ql3_worker_ingress', (body) => ({ ...body, facts: { ...body.facts, sqlState: '00000' } })),
  ],
  'disposed-client': [
    () => facts('disposed-client', { threw: false }),
    () => insertAfter('api.audit', duringProbe('disposed-client', (event) => event.verb === 'list'), (body) => ({ ...body, receivedAt: resultOf('disposed-client').endedAt })),
    () => drop('api.audit', duringProbe('disposed-client', (event) => event.user === PROBE_DELIVERY)),
  ],
  'superseded-token': [
    () => alterRow('worker_credentials', (row) => row['credential_id'] === 'live_generation_3', { state: 'active' }),
    () => facts('superseded-token', { status: 200 }),
    () => drop('process.line', answered('superseded-token')),
    () => drop('ingress.line', logged('worker_request', { status: 401 })),
  ],
  'revoked-token': [
    () => alterRow('worker_credentials', (row) => row['credential_id'] === 'live_generation_2', { state: 'active' }),
    () => facts('revoked-token', { code: 'worker_route_not_found' }),
    () => alter('ingress.line', logged('worker_request', { status: 401 }), (body) => ({ ...body, line: { ...body.line, status: 200 } })),
  ],
  'handshake-without-certificate': [
    () => drop('ingress.line', logged('tls_handshake_refused', { peerPort: portOf('handshake-without-certificate') })),
    () => facts('handshake-without-certificate', { refused: false }),
    () => alter('process.line', answered('handshake-without-certificate'), (body) => ({ ...body, line: { ...body.line, answered: true } })),
    () => facts('handshake-without-certificate', { localPort: null }),
    () => insertAfter('ingress.line', logged('tls_handshake_refused', { peerPort: portOf('handshake-without-certificate') }), ({ line, ...body }) => ({ ...body, line: { ...line, event: 'worker_request', status: 200 } })),
  ],
  'handshake-revoked-certificate': [
    () => drop('ingress.line', logged('tls_handshake_refused', { peerPort: portOf('handshake-revoked-certificate') })),
    () => drop('ingress.line', logged('trust_reloaded')),
    () => facts('handshake-revoked-certificate', { fingerprint: '0'.repeat(64) }),
    () => drop('pki.identity', ({ generation }) => generation === 'product-identity-a'),
  ],
  'egress-inside': [
    () => facts('egress-inside', { reached: false }),
    () => outcome('egress-inside', 'timeout'),
    () => alter('probe.result', ({ probe }) => probe === 'egress-inside', (body) => ({ ...body, startedAt: '2026-01-15T10:00:01.000Z', endedAt: '2026-01-15T10:00:01.000Z' })),
    () => facts('egress-inside', { address: '192.0.2.1' }),
    () => drop('process.line', ({ line }) => line['event'] === 'egress_probed'),
    () => drop('api.object', ({ object }) => object.kind === 'NetworkPolicy'),
  ],
  'egress-outside': [
    () => facts('egress-outside', { reached: true }),
    () => alter('process.line', ({ line }) => line['event'] === 'egress_probed', (body) => ({ ...body, line: { ...body.line, outside: { ...(body.line['outside'] as object), outcome: 'EINVAL' } } })),
    () => facts('egress-outside', { address: '172.20.0.3', port: 5432 }),
    () => drop('api.watched', ({ object }) => isControlPod(object)),
    () => alterObject(({ metadata }) => metadata.name === 'ql3-worker-credential-egress-probe', ['metadata', 'labels'], {}),
  ],
  'abandoned-session': [
    () => alter('process.line', ({ podUid, line }) => podUid === resultOf('abandoned-session').facts['successorPodUid'] && line['event'] === 'reconciled', (body) => ({ ...body, line: { ...body.line, abandonedSessionIds: [] } })),
    () => alterRow('worker_session_history', (row) => row['session_id'] === resultOf('abandoned-session').facts['abandonedSessionId'] && row['reason'] === 'heartbeat', { status: 'offline' }),
    () => alterRow('worker_session_history', (row) => row['session_id'] === resultOf('abandoned-session').facts['successorSessionId'], { replaced_session_id: null }),
    () => drop('api.watched', ({ object }) => object.metadata.uid === resultOf('abandoned-session').facts['killedPodUid']),
    () => facts('abandoned-session', { successorSessionId: 'other' }),
  ],
};

/** Every Pod has an address of its own, and chooses among the same ports. */
const portOfAnother = (probe: ProbeId): Lie =>
  alter('ingress.line', ({ line }) => line['peerPort'] === firstPort, (body) => ({ ...body, line: { ...body.line, peerPort: portOf(probe) } }));
const firstPort = RUN.flatMap((each) => (each.kind === 'ingress.line' && each.body.line['event'] === 'tls_handshake' ? [each.body.line['peerPort']] : []))[0];

describe('probes', () => {
  for (const probe of ['handshake-without-certificate', 'handshake-revoked-certificate'] as const) {
    it(`${probe} holds when a Worker once had the port of the attempt`, () => assert.deepEqual(deriveReport(portOfAnother(probe)(RUN)).probes[probe].unmet, []));
  }

  for (const probe of PROBE_IDS) {
    describe(probe, () => {
      it('holds of a whole run', () => assert.deepEqual(deriveReport(RUN).probes[probe].unmet, []));

      it('does not hold when it was never made', () => {
        assert.equal(deriveReport(drop('probe.result', (body) => body.probe === probe)(RUN)).probes[probe].holds, false);
      });

      it('does not hold on the word of the harness alone', { skip: probe === 'database-forbidden-statement' && 'PostgreSQL keeps no log of refused statements' }, () => {
        const alone = RUN.filter(({ kind }) => kind === 'probe.result' || kind.startsWith('run.') || kind.startsWith('platform.'));
        assert.equal(deriveReport(renumber(alone)).probes[probe].holds, false);
      });

      LIES[probe].forEach((lie, index) => {
        it(`sees through lie ${index + 1}, and the run fails for it`, () => {
          const { probes, problems } = deriveReport(lie()(RUN));
          assert.equal(probes[probe].holds, false);
          assert.ok(problems.some((problem) => problem.startsWith(`probe ${probe}:`)));
        });
      });
    });
  }
});
