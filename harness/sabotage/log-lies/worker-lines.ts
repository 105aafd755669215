import { CONTRACT_NAMES as NAMES, PROBE_NAMES } from '../../../evidence/contract-names.ts';
import type { ObservationBodies } from '../../../evidence/observation.ts';
import type { Catch } from '../catch.ts';
import { actorPods, isPod, isProbe, logged, printed, productPods, sessionOf } from '../log-cast.ts';
import { alter, alterFirst, alterRows, drop, dropRows, find, inTurn, line, setIn, type Edit } from '../log-edit.ts';
import type { LogLie } from '../log-lie.ts';

type Printed = ObservationBodies['process.line'];
type Change = Readonly<Record<string, unknown>>;

function told(name: string, pretends: string, caughtBy: readonly Catch[], edit: Edit): LogLie {
  return { name, pretends, caughtBy, tell: ({ observations }) => ({ log: edit(observations) }) };
}

const byWorker = (workerId: string) => (body: Printed): boolean => body.line['workerId'] === workerId;
const said = (event: string, change: Change): Edit => alter('process.line', (body) => body.line['event'] === event && byWorker(NAMES.workerId)(body), line(change));
const noted = (code: string, change: Change): Edit => alter('process.line', (body) => body.line['code'] === code && byWorker(NAMES.workerId)(body), line(change));
const ingress = (event: string, fields: Change, change: Change): Edit => alter('ingress.line', logged(event, fields), line(change));
const attempt = (probe: string, change: Change): Edit => alter('process.line', (body) => body.line['attempt'] === probe, line(change));
const revokedAt = (atMs: (row: Readonly<Record<string, unknown>>) => number): Edit => alterRows('worker_credentials', (row) => row['state'] === 'revoked', (row) => ({ ...row, revoked_at_ms: atMs(row) }));

const ofAbandoned = (log: Parameters<Edit>[0], fact: string): string => String(find(log, 'probe.result', isProbe('abandoned-session')).body.facts[fact]);

const DRAIN: Catch = 'gates.productionGracefulDrainToOffline';
const REPLACEMENT: Catch = 'gates.productionSessionReplacement';
const RECONCILIATION: Catch = 'gates.productionStartupReconciliation';
const COMPOSITION: Catch = 'gates.productionWorkerIngressComposition';
const REVOKED: Catch = 'probes.handshake-revoked-certificate';

/** About single fields of what Workers, ingress and probing Pods print: each of them somebody else knows, too. */
export const WORKER_LINE_LIES: readonly LogLie[] = [
  told('offline-unconfirmed', 'the Worker knew that its session was offline; it did not, and no repetition was fenced', [DRAIN], said('stopped', { offlineConfirmed: false })),
  told('stopped-another-session', 'the Worker stopped in its own session; it names another', [DRAIN], said('stopped', { sessionId: '01900000-0000-7000-8000-00000000dead' })),
  told('drained-longer-than-told', 'a short drain; the Worker measured a minute and a half', [DRAIN], said('stopped', { drainElapsedMs: 99_999 })),
  told('stopped-unasked', 'the Worker was told to stop; it stopped by itself', [DRAIN], drop('process.line', ({ line: { event } }) => event === 'shutdown_requested')),
  told('lease-of-another-length', 'the lease that the database gave; the Worker was told of another', [REPLACEMENT], said('registered', { leaseExpiresAtMs: 1 })),
  told('version-of-another-row', 'the version of the row; the Worker was told of another', [REPLACEMENT], said('registered', { version: 77 })),
  told('requests-of-another-worker', 'requests of this Worker; the ingress answered another', [REPLACEMENT], ingress('worker_request', { workerId: NAMES.workerId, status: 200 }, { workerId: 'ql3-worker-other' })),
  {
    name: 'request-without-a-row',
    pretends: 'every accepted request is in the database; one is not',
    caughtBy: [REPLACEMENT],
    tell: ({ observations }) => ({ log: alterFirst('ingress.line', logged('worker_request', { sessionId: sessionOf(observations, 1), operation: 'heartbeat' }), line({ version: 900 }))(observations) }),
  },
  told('journal-torn', 'the journal was whole; it was torn', [RECONCILIATION], said('reconciled', { tornRecords: 3 })),
  told('session-abandoned', 'every earlier session was offline; one was abandoned, too', [RECONCILIATION], said('reconciled', { sessionsAbandonedNow: 1 })),
  told('volume-taken-by-force', 'the volume was handed over; it was taken', [RECONCILIATION], noted('lock_acquired', { ground: 'unrefreshed' })),
  told('lines-of-another-worker', 'lines of this Worker; they name another', [RECONCILIATION], alter('process.line', byWorker(NAMES.workerId), line({ workerId: 'ql3-worker-other' }))),
  told('lines-before-the-pod', 'printed while the Pod lived; an hour before it was made', [RECONCILIATION], alter('process.line', byWorker(NAMES.workerId), (body) => line({ at: new Date(Date.parse(String(body.line['at'])) - 3_600_000).toISOString() })(body))),
  { name: 'lines-of-another-pod', pretends: 'lines of this Pod; they name another', caughtBy: [RECONCILIATION], tell: ({ observations }) => ({ log: alter('process.line', printed(productPods(observations)[1], 'starting'), line({ podUid: productPods(observations)[0] ?? '' }))(observations) }) },
  { name: 'actor-of-another-pod', pretends: 'the actor of this Pod; its lines name another', caughtBy: ['gates.pvcJournalSurvivedRolloutAndForcedPodLoss'], tell: ({ observations }) => ({ log: alter('process.line', printed(actorPods(observations)[1], 'started'), line({ podUid: actorPods(observations)[0] ?? '' }))(observations) }) },
  told('another-certificate-installed', 'the certificate of the Pod’s identity; the Worker installed another', ['gates.explicitIdentityGenerationRolloutObserved', 'identityRollout.observedByReplacement'], noted('identity_installed', { fingerprint: 'd'.repeat(64) })),
  told('handshakes-left-out', 'each session began with a handshake; the ingress logged none of the last', [COMPOSITION], (log) => {
    const { peerPort } = find(log, 'ingress.line', logged('worker_request', { sessionId: sessionOf(log, 2) })).body.line;
    const handshake = find(log, 'ingress.line', logged('tls_handshake', { peerPort })).body.index;
    return inTurn(
      drop('ingress.line', logged('tls_handshake', { peerPort })),
      alter('ingress.line', ({ index }) => index > handshake, (body) => ({ ...body, index: body.index - 1 })),
    )(log);
  }),
  told('connection-of-another-certificate', 'the request’s own certificate; its connection was made with another', [COMPOSITION], (log) => {
    const { peerPort } = find(log, 'ingress.line', logged('worker_request', { sessionId: sessionOf(log, 0) })).body.line;
    return ingress('tls_handshake', { peerPort }, { clientCertificateFingerprint: 'd'.repeat(64) })(log);
  }),
  told('serial-of-another-certificate', 'one certificate at authority, ingress and database; its serial differs', [COMPOSITION], alterFirst('ingress.line', logged('tls_handshake'), line({ clientCertificateSerial: '00' }))),
  told('nothing-revoked', 'the reloaded list names the certificate; it is empty', [REVOKED], ingress('trust_reloaded', {}, { revokedCertificates: 0 })),
  told('list-out-of-date', 'a list in force; it had run out', [REVOKED], ingress('trust_reloaded', {}, { revocationsNextUpdateAt: '2020-01-01T00:00:00.000Z' })),
  told('authority-exchanged', 'only the list was reloaded; another authority came with it', [REVOKED], ingress('trust_reloaded', {}, { clientAuthorityFingerprints: ['d'.repeat(64)] })),
  told('no-list-at-start', 'the ingress asks a revocation list; it began without one', [REVOKED], ingress('starting', {}, { revocationList: false })),
  told('refused-for-its-protocol', 'the certificate was refused as revoked; the ingress did not like the protocol', [REVOKED], ingress('tls_handshake_refused', { reason: 'CERT_REVOKED' }, { reason: 'ERR_SSL_UNSUPPORTED_PROTOCOL' })),
  told('no-certificate-was-not-why', 'refused without a certificate; refused for its protocol', ['probes.handshake-without-certificate', COMPOSITION], ingress('tls_handshake_refused', { reason: 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE' }, { reason: 'ERR_SSL_UNSUPPORTED_PROTOCOL' })),
  told('nobody-was-reached', 'the ingress refused the handshake; the Pod reached nobody', [REVOKED], attempt('handshake-revoked-certificate', { error: 'ECONNREFUSED' })),
  told('refused-on-another-connection', 'the Pod’s own connection was refused; it had another port', [REVOKED], attempt('handshake-revoked-certificate', { localPort: 1 })),
  told('made-up-token', 'a revoked token was presented; it was one that nobody knows', ['probes.revoked-token', 'probes.superseded-token'], ingress('worker_request', { status: 401 }, { reason: 'credential_unknown' })),
  told('token-presented-elsewhere', 'the token was presented for its Worker; it was for another', ['probes.revoked-token'], ingress('worker_request', { status: 401 }, { workerId: 'ql3-worker-other' })),
  told('refusal-not-on-record', 'a refused token leaves an audit row; there is none', ['probes.revoked-token', 'probes.superseded-token'], dropRows('security_audit_events', (row) => row['outcome'] === 'denied')),
  told('revoked-afterwards', 'the credential was revoked when its token came; it was an hour later', ['probes.revoked-token', 'probes.superseded-token'], revokedAt((row) => Number(row['revoked_at_ms']) + 3_600_000)),
  told('one-token-for-two', 'two tokens were presented; it was one', ['probes.superseded-token'], alter('probe.result', isProbe('superseded-token'), (body) => ({ ...body, facts: { ...body.facts, credentialId: NAMES.credentialIds[1] } }))),
  told('window-beside-the-attempt', 'the window encloses the attempt; the Pod made it before', ['probes.revoked-token'], alter('probe.result', isProbe('revoked-token'), (body) => ({ ...body, startedAt: body.endedAt }))),
  told('recorded-before-its-connection', 'a session began when its request came; its row is two seconds older than the connection', [REPLACEMENT], (log) =>
    alterRows('worker_session_history', (row) => row['session_id'] === sessionOf(log, 0) && row['reason'] === 'registered', (row) => ({ ...row, recorded_at_ms: Number(row['recorded_at_ms']) - 2_000 }))(log)),
  told('drained-and-still-online', 'a state for its reason; the session was draining, and still online', [DRAIN], alterRows('worker_session_history', (row) => row['reason'] === 'draining', (row) => ({ ...row, status: 'online' }))),
  ...['registered', 'last_heartbeat', 'draining', 'offline'].map((what) =>
    told(`session-${what.replace('_', '-')}-at-another-time`, 'a session and its history tell one time; they tell two', [DRAIN], alterRows('worker_sessions', (row) => row['worker_id'] === NAMES.workerId, (row) => ({ ...row, [`${what}_at_ms`]: Number(row[`${what}_at_ms`]) + 60 })))),
  told('accepted-and-refused', 'accepted without a word; the same line says why it was refused', [COMPOSITION], ingress('worker_request', { status: 200, operation: 'heartbeat' }, { reason: 'credential_not_active' })),
  told('killed-worker-unknown-to-the-ingress', 'the killed Worker had a session; the ingress never registered it', ['probes.abandoned-session'], ingress('worker_request', { workerId: PROBE_NAMES.workerId, operation: 'register' }, { status: 503 })),
  told('killed-worker-without-a-word', 'the killed Worker registered a session; it printed nothing at all', ['probes.abandoned-session'], (log) => drop('process.line', ({ podUid }) => podUid === ofAbandoned(log, 'killedPodUid'))(log)),
  told('killed-worker-of-another-generation', 'the session that the database has; the killed Worker was told of another', ['probes.abandoned-session'], (log) => alter('process.line', printed(ofAbandoned(log, 'killedPodUid'), 'registered'), line({ generation: 9 }))(log)),
  told('volume-of-a-stranger', 'the killed Worker held the volume; a stranger did', ['probes.abandoned-session'], (log) =>
    alter('process.line', ({ podUid, line: { code } }) => podUid === ofAbandoned(log, 'successorPodUid') && code === 'lock_acquired', line({ code: 'lock_waiting', owner: { podUid: 'c0ffee00-0000-4000-8000-0000000000cc' } }))(log)),
  told('killed-worker-failed-by-itself', 'SIGKILL ended the Worker; it ended with 1', ['probes.abandoned-session'], (log) => {
    const { killedPodUid } = find(log, 'probe.result', isProbe('abandoned-session')).body.facts;
    return alter(
      'api.watched',
      (body) => body.type === 'DELETED' && isPod(String(killedPodUid))(body),
      ({ type, object }) => ({ type, object: setIn(object, ['status', 'containerStatuses'], [{ name: 'worker', state: { terminated: { exitCode: 1, finishedAt: object.metadata.creationTimestamp } } }]) }),
    )(log);
  }),
  told('killing-beside-the-attempt', 'the Worker was killed in the attempt; its successor was there before', ['probes.abandoned-session'], alter('probe.result', isProbe('abandoned-session'), (body) => ({ ...body, startedAt: body.endedAt }))),
];
