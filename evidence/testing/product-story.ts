import { ANNOTATIONS } from '../annotations.ts';
import { CONTRACT_NAMES as NAMES } from '../contract-names.ts';
import { fingerprintOf, serialOf } from './actor-story.ts';
import { CONTROLLER, podOf, WatchedPod, type Names, type WatchedThing } from './object-story.ts';
import { imageNameOf } from './platform-story.ts';
import type { Story } from './story.ts';

/** Cluster Control: its Pod and what it logs of handshakes and requests. */
export class IngressStory {
  readonly pod: WatchedPod;
  readonly #story: Story;
  #lines = 0;
  #port = 40_000;

  constructor(story: Story) {
    this.#story = story;
    this.pod = new WatchedPod(
      story,
      'control',
      { name: `${NAMES.controlDeployment}-77f-xyz`, namespace: NAMES.workerNamespace, ownerReferences: [{ kind: 'ReplicaSet', name: `${NAMES.controlDeployment}-77f`, uid: story.uuid() }] },
      { nodeName: 'ql3-node', containers: [{ name: 'control', image: `docker.io/library/${imageNameOf('control')}` }] },
    );
    this.pod.run('10.42.0.7');
    this.line('starting', { pid: 1, node: 'v24.18.0', revocationList: true });
    this.line('listeners_open', this.#trust(0));
    this.line('listening', { databaseUser: 'ql3_worker_ingress', serverMajor: 18, contractVersion: 10 });
  }

  line(event: string, fields: object): void {
    const line = { schemaVersion: 1, component: 'qinglong3-cluster-control', level: 'info', event, at: this.#story.nowIso, ...fields };
    this.#story.tell('ingress.line', { podUid: this.pod.uid, index: this.#lines, line });
    this.#lines += 1;
  }

  /** Reads its trust material again, with one more revoked certificate than before. */
  reload(): void {
    this.line('trust_reloaded', this.#trust(1));
  }

  #trust(revokedCertificates: number): object {
    return { serverCertificateFingerprint: fingerprintOf('server'), clientAuthorityFingerprints: [fingerprintOf('authority')], revokedCertificates, revocationsNextUpdateAt: '2026-01-16T10:00:00.000Z' };
  }

  /** Accepts a connection, and answers with its port. */
  connect(fingerprint: string): number {
    const peerPort = this.nextPort();
    this.line('tls_handshake', { peerPort, protocol: 'TLSv1.3', clientCertificateFingerprint: fingerprint, clientCertificateSerial: serialOf(fingerprint) });
    return peerPort;
  }

  nextPort(): number {
    this.#port += 1;
    return this.#port;
  }
}

interface Session {
  readonly workerId: string;
  readonly sessionId: string;
  readonly generation: number;
  readonly credentialId: string;
  readonly fingerprint: string;
  readonly replaced: string | null;
  readonly peerPort: number;
}

const LEASE_MS = 15_000;

/** Production Workers of one worker id, with their sessions. */
export class ProductStory {
  readonly #story: Story;
  readonly #ingress: IngressStory;
  readonly #deployment: WatchedThing;
  readonly #names: Names & { readonly workerId: string };
  readonly #rolloutRecords: number;
  readonly #sessions: { id: string; end: 'offline' | 'abandoned' }[] = [];
  #version = -1;

  constructor(story: Story, ingress: IngressStory, deployment: WatchedThing, names: Names & { readonly workerId: string }, rolloutRecords: number) {
    this.#story = story;
    this.#ingress = ingress;
    this.#deployment = deployment;
    this.#names = names;
    this.#rolloutRecords = rolloutRecords;
  }

  begin(): { readonly pod: WatchedPod; readonly session: Session } {
    const story = this.#story;
    story.pass(200);
    const pod = podOf(story, this.#deployment, this.#names);
    pod.run();
    this.#print(pod, 0, 'starting', { podUid: pod.uid });
    const abandoned = this.#sessions.filter(({ end }) => end === 'abandoned').map(({ id }) => id);
    const annotations = pod.object.metadata.annotations ?? {};
    const fingerprint = fingerprintOf(annotations[ANNOTATIONS.identityGeneration] ?? '');
    const [last] = this.#sessions.slice(-1);
    this.#print(pod, 1, 'runtime_diagnostic', { code: 'identity_installed', generation: 1, fingerprint });
    this.#print(pod, 2, 'runtime_diagnostic', { code: 'lock_acquired', epoch: this.#sessions.length + 1, ground: last === undefined ? 'first' : last.end === 'offline' ? 'released' : 'owner_gone', waitedMs: 4 });
    this.#print(pod, 3, 'reconciled', {
      recordsFound: this.#sessions.length * 3,
      sessionsFound: this.#sessions.length,
      sessionsOffline: this.#sessions.filter(({ end }) => end === 'offline').length,
      sessionsAbandonedEarlier: 0,
      sessionsAbandonedNow: abandoned.length,
      abandonedSessionIds: abandoned,
      tornRecords: 0,
      rolloutRecordsFound: this.#rolloutRecords,
    });
    const session: Session = {
      workerId: this.#names.workerId,
      sessionId: story.sessionId(),
      generation: this.#sessions.length + 1,
      credentialId: annotations[ANNOTATIONS.credentialId] ?? '',
      fingerprint,
      replaced: last?.id ?? null,
      peerPort: this.#ingress.connect(fingerprint),
    };
    const leaseExpiresAtMs = this.#request(session, 'register', 'registered', 'online') + LEASE_MS;
    this.#print(pod, 4, 'registered', { sessionId: session.sessionId, generation: session.generation, version: this.#version, leaseExpiresAtMs, replacedSessionId: session.replaced });
    story.pass(5000);
    this.#request(session, 'heartbeat', 'heartbeat', 'online');
    return { pod, session };
  }

  drain(pod: WatchedPod, session: Session): void {
    pod.leave(CONTROLLER, 360);
    this.#story.pass(10);
    this.#print(pod, 5, 'shutdown_requested', { signal: 'SIGTERM' });
    this.#story.pass(30);
    this.#request(session, 'transition', 'draining', 'draining');
    this.#request(session, 'transition', 'offline', 'offline');
    this.#print(pod, 6, 'stopped', { sessionId: session.sessionId, generation: session.generation, offlineConfirmed: true, drainElapsedMs: 60 });
    this.#sessions.push({ id: session.sessionId, end: 'offline' });
    pod.end(this.#story.nowSecond);
    pod.vanish();
  }

  kill(pod: WatchedPod, session: Session): void {
    pod.leave('system:admin', 0);
    this.#sessions.push({ id: session.sessionId, end: 'abandoned' });
    pod.vanish();
  }

  /** Answers with the instant of its row, ms. */
  #request(session: Session, operation: 'register' | 'heartbeat' | 'transition', reason: string, status: string): number {
    const story = this.#story;
    const { workerId, sessionId, generation, credentialId, fingerprint } = session;
    story.row('security_audit_events', { event_id: story.uuid(), occurred_at_ms: story.pass(), action: `worker_session.${operation}`, outcome: 'allowed', subject_type: 'worker', subject_id: workerId, resource_id: sessionId });
    this.#version += 1;
    const recordedAtMs = story.pass();
    const state = story.row('worker_session_history', {
      worker_id: workerId,
      version: this.#version,
      session_id: sessionId,
      generation,
      status,
      reason,
      replaced_session_id: reason === 'registered' ? session.replaced : null,
      credential_id: credentialId,
      available_slots: status === 'online' ? 1 : 0,
      lease_expires_at_ms: status === 'offline' ? recordedAtMs : recordedAtMs + LEASE_MS,
      client_certificate_sha256: fingerprint,
      client_certificate_serial: serialOf(fingerprint),
      recorded_at_ms: recordedAtMs,
    });
    const deliveries = story.rowsOf('worker_credential_deliveries').filter((row) => row['credential_id'] === credentialId);
    const latest = deliveries.at(-1);
    if (reason !== 'registered' && latest?.['version'] === 2) story.row('worker_credential_deliveries', { ...latest, version: 3, state: 'observed', observed_at_ms: recordedAtMs, observed_session_id: sessionId, observed_session_version: this.#version });
    const current = story.rowsOf('worker_sessions').find((row) => row['worker_id'] === workerId) ?? story.row('worker_sessions', { worker_id: workerId });
    if (reason === 'registered') Object.assign(current, { last_heartbeat_at_ms: null, draining_at_ms: null, offline_at_ms: null });
    const written = { registered: 'registered_at_ms', heartbeat: 'last_heartbeat_at_ms' }[reason] ?? `${reason}_at_ms`;
    const { available_slots: slots, lease_expires_at_ms: lease } = state;
    Object.assign(current, { session_id: sessionId, generation, version: this.#version, status, available_slots: slots, lease_expires_at_ms: lease, [written]: recordedAtMs });
    this.#ingress.line('worker_request', { operation, workerId, sessionId, credentialId, status: 200, code: null, generation, version: this.#version, clientCertificateFingerprint: fingerprint, tlsProtocol: 'TLSv1.3', peerPort: session.peerPort });
    return recordedAtMs;
  }

  #print(pod: WatchedPod, index: number, event: string, fields: object): void {
    const line = { schemaVersion: 1, component: 'qinglong3-worker', level: 'info', event, workerId: this.#names.workerId, at: this.#story.nowIso, ...fields };
    this.#story.tell('process.line', { podUid: pod.uid, podName: pod.name, container: 'worker', index, line });
  }
}
