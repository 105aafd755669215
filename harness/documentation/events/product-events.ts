/** The lines of one program of the product. A test holds the names to those that the source prints. */
export interface EventRow {
  readonly event: string;
  readonly level: string;
  readonly meaning: string;
  readonly fields: string;
}

export interface EventGroup {
  readonly title: string;
  readonly component: string;
  readonly stream: string;
  readonly events: readonly EventRow[];
}

export const WORKER_EVENTS: EventGroup = {
  title: 'Worker',
  component: 'qinglong3-worker',
  stream: 'stdout; `process_failed` on stderr. Every line has `workerId` and `capacityProfile`.',
  events: [
    { event: 'starting', level: 'info', meaning: 'the configuration is good, nothing has been touched', fields: 'podUid, pid, nodeVersion' },
    { event: 'reconciled', level: 'info', meaning: 'the journal was read; sessions that never ended are closed as abandoned', fields: 'recordsFound, sessionsFound, sessionsOffline, sessionsAbandonedEarlier, sessionsAbandonedNow, abandonedSessionIds, tornRecords, tornBytes, rolloutRecordsFound' },
    { event: 'registered', level: 'info', meaning: 'the ingress has the session', fields: 'sessionId, generation, version, leaseExpiresAtMs, replacedSessionId' },
    { event: 'active', level: 'info', meaning: 'it takes work', fields: 'sessionId, generation, availableSlots' },
    { event: 'heartbeat_failed', level: 'warn', meaning: 'a heartbeat failed; `blocked` after 401 and 403', fields: 'sessionId, generation, code, status, blocked, failedInRow' },
    { event: 'shutdown_requested', level: 'info', meaning: 'SIGTERM or SIGINT came', fields: 'signal' },
    { event: 'shutdown_deferred', level: 'warn', meaning: 'a step of the drain failed and is tried again', fields: 'sessionId, phase, attempt, code, status, retryInMs' },
    { event: 'stopped', level: 'info', meaning: 'the end; exit code 0', fields: 'sessionId, generation, offlineConfirmed, drainElapsedMs' },
    { event: 'runtime_diagnostic', level: 'info or warn', meaning: '`code`: lock_waiting, lock_acquired, identity_installed, identity_bootstrap_refused, identity_not_valid_now, registration_deferred, heartbeat_recovered, signal_repeated', fields: 'code and what belongs to it' },
    { event: 'process_failed', level: 'error', meaning: 'the end; exit code 1', fields: 'name, code, message and facts of the code' },
  ],
};

export const INIT_EVENTS: EventGroup = {
  title: 'Init container',
  component: 'qinglong3-worker-init',
  stream: 'stdout; `init_failed` on stderr.',
  events: [
    { event: 'materialised', level: '–', meaning: 'the Pod’s authority was copied, the folders made', fields: 'mode, and what was made' },
    { event: 'init_failed', level: '–', meaning: 'exit code 1', fields: 'mode, name, code, message and facts of the code' },
  ],
};

export const ACTOR_EVENTS: EventGroup = {
  title: 'Actor of phase A',
  component: 'qinglong3-rollout-actor',
  stream: 'stdout; `actor_failed` on stderr. Only in a rollout run.',
  events: [
    { event: 'journal_inherited', level: '–', meaning: 'what the volume held when this Pod began', fields: 'podUid, lines' },
    { event: 'started', level: '–', meaning: 'its own line was appended and synced', fields: 'podUid, record' },
    { event: 'actor_failed', level: '–', meaning: 'exit code 1', fields: 'name, code, message and facts of the code' },
  ],
};

export const CONTROL_EVENTS: EventGroup = {
  title: 'Control',
  component: 'qinglong3-cluster-control',
  stream: 'stdout; `process_failed` on stderr.',
  events: [
    { event: 'starting', level: 'info', meaning: 'the configuration is good', fields: 'pid, node, revocationList' },
    { event: 'listeners_open', level: 'info', meaning: 'both ports are open; it is not ready yet', fields: 'host, healthPort, ingressPort, serverCertificateFingerprint, serverCertificateExpiresAt, clientAuthorityFingerprints, revokedCertificates, revocationsNextUpdateAt' },
    { event: 'listening', level: 'info', meaning: 'the database is ready for the first time', fields: 'databaseUser, serverMajor, contractVersion, host, healthPort, ingressPort' },
    { event: 'database_not_ready', level: 'warn', meaning: '`/readyz` answers 503; told once for each reason', fields: 'code, cause, reason' },
    { event: 'database_ready', level: 'info', meaning: 'ready again', fields: 'as `listening`' },
    { event: 'tls_handshake', level: 'info', meaning: 'a client certificate was verified', fields: 'peerPort, protocol, clientCertificateFingerprint, clientCertificateSerial' },
    { event: 'tls_handshake_refused', level: 'warn', meaning: 'no certificate, an untrusted or a revoked one', fields: 'peerPort, reason' },
    { event: 'worker_request', level: 'by status', meaning: 'one request and its answer; the reason of a refusal is told here and not to the peer', fields: 'operation, workerId, sessionId, credentialId, status, code, reason, generation, version, clientCertificateFingerprint' },
    { event: 'trust_reloaded', level: 'info', meaning: 'new trust material is in force', fields: 'as `listeners_open`, of the material' },
    { event: 'trust_reload_failed', level: 'error', meaning: 'the new material cannot be used; the former stays in force', fields: 'code, problems, kept' },
    { event: 'draining', level: 'info', meaning: 'a signal came; nothing new is accepted', fields: 'inFlight' },
    { event: 'stopped', level: 'info or warn', meaning: 'the end; exit code 0', fields: 'abandonedRequests' },
    { event: 'process_failed', level: 'error', meaning: 'the end; exit code 64 or 1', fields: 'code, problems or reason' },
  ],
};

/** Each program of administration prints one line: `SUBJECT_completed` on stdout or `SUBJECT_failed` on stderr. */
export const ADMINISTRATION = [
  { file: 'manage', component: 'qinglong3-worker-credential-manager', subject: 'management', answers: 'result: the plan, or the approval request' },
  { file: 'executor', component: 'qinglong3-worker-credential-executor', subject: 'execution', answers: 'actionRef, dispatchId, executionStatus, deliveryStatus, tokenRequestUsed' },
  { file: 'recovery', component: 'qinglong3-worker-credential-recovery', subject: 'recovery', answers: 'deliveries and nextAfterDeliveryId; or actionRef, dispatchId, status, reasonCode, tokenRequestUsed' },
  { file: 'database', component: 'qinglong3-database-setup', subject: 'database_setup', answers: 'roles; or applied, contractVersion; or projectId, userId, role, state, bindingVersion, changed' },
  { file: 'target', component: 'qinglong3-worker-credential-target', subject: 'target_resolution', answers: 'the target’s parts, deploymentTargetDigest, digestLabel' },
] as const;

export const EVENT_GROUPS: readonly EventGroup[] = [WORKER_EVENTS, INIT_EVENTS, ACTOR_EVENTS, CONTROL_EVENTS];
