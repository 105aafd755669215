import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { CONTRACT_NAMES } from '../contract-names.ts';
import { numberAt, textAt } from './fields.ts';
import { acceptedForState, acceptedRequests, connectedAtMs, ingressRequests, type IngressRequest } from './ingress.ts';
import { instantMs } from '../instants.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import type { PodLife } from './pods.ts';
import { eventLine, type ProcessLine } from './process-lines.ts';
import { byVersion, numberIn, rowsOf, rowsWhere, textIn, type Row } from './rows.ts';
import { productPods } from './worker-pods.ts';

/** One session of the production Worker, from the Pod that had it, the database and the ingress. */
export interface ProductSession {
  readonly pod: PodLife;
  readonly registeredLine: ProcessLine | null;
  readonly sessionId: string | null;
  /** Its history rows, by version. */
  readonly history: readonly Row[];
  readonly online: Row | null;
  readonly heartbeat: Row | null;
  readonly draining: Row | null;
  readonly offline: Row | null;
  readonly requests: readonly IngressRequest[];
}

/** History of the contract's Worker, by version. */
export const sessionHistory = fact((run: ObservedRun): readonly Row[] =>
  byVersion(rowsWhere(rowsOf(run, 'worker_session_history'), 'worker_id', CONTRACT_NAMES.workerId)),
);

/** The sessions in the order of their Pods. */
export const productSessions = fact((run: ObservedRun): readonly ProductSession[] => productPods(run).map((pod) => readSession(run, pod)));

function readSession(run: ObservedRun, pod: PodLife): ProductSession {
  const registeredLine = eventLine(run, pod.uid, 'registered');
  const sessionId = textAt(registeredLine?.body.line, 'sessionId');
  const history = sessionId === null ? [] : rowsWhere(sessionHistory(run), 'session_id', sessionId);
  const withReason = (reason: string): Row | null => history.find((row) => textIn(row, 'reason') === reason) ?? null;
  return {
    pod,
    registeredLine,
    sessionId,
    history,
    online: withReason('registered'),
    heartbeat: withReason('heartbeat'),
    draining: withReason('draining'),
    offline: withReason('offline'),
    requests: acceptedRequests(run, sessionId),
  };
}

/** Longest that the ingress works on a request (domain: section 3); its line is written when it has answered. */
export const REQUEST_DEADLINE_MS = 15_000;

/** The accepted request at the ingress that a history row comes from: under the certificate and credential that the row names, over a connection that was there before, and not over before it was written. */
export function requestOf(run: ObservedRun, row: Row): IngressRequest | null {
  return (
    acceptedForState(run, textIn(row, 'session_id'), numberIn(row, 'version')).find(
      (request) =>
        request.workerId === textIn(row, 'worker_id') &&
        request.generation === numberIn(row, 'generation') &&
        request.credentialId === textIn(row, 'credential_id') &&
        request.fingerprint === textIn(row, 'client_certificate_sha256') &&
        recordedAtMs(row) <= request.atMs + CLOCK_BOUND_MS &&
        recordedAtMs(row) >= request.atMs - REQUEST_DEADLINE_MS - CLOCK_BOUND_MS &&
        !(recordedAtMs(row) < connectedAtMs(run, request) - CLOCK_BOUND_MS),
    ) ?? null
  );
}

/** Every history row of the session has its request at the ingress, and every accepted request a row: a repeated registration that of the first. */
export function ingressConfirms(run: ObservedRun, { history, requests }: ProductSession): boolean {
  const versions = new Set(history.map((row) => numberIn(row, 'version')));
  return history.length > 0 && history.every((row) => requestOf(run, row) !== null) && requests.every(({ version }) => version !== null && versions.has(version));
}

/** What the Worker was told when it registered is what the database recorded; a repeated registration is told the same again. */
export function registeredAsRecorded({ registeredLine, online }: Pick<ProductSession, 'registeredLine' | 'online'>): boolean {
  const line = registeredLine?.body.line;
  return (
    online !== null &&
    instantMs(line?.['at']) + CLOCK_BOUND_MS >= recordedAtMs(online) &&
    textAt(line, 'sessionId') === textIn(online, 'session_id') &&
    numberAt(line, 'generation') === numberIn(online, 'generation') &&
    numberAt(line, 'version') === numberIn(online, 'version') &&
    numberAt(line, 'leaseExpiresAtMs') === numberIn(online, 'lease_expires_at_ms') &&
    textAt(line, 'replacedSessionId') === textIn(online, 'replaced_session_id')
  );
}

/** The Worker measures its drain with a clock that does not follow the time of day; in half a minute they drift apart by less than this. */
const LARGEST_DRIFT_MS = 1000;

/**
 * The Worker was told to stop, and stopped in its own session knowing that it is offline. When the answer to its last transition
 * was lost, the ingress fences the repetition, and the Worker cannot know: that refusal is then in the ingress's log.
 */
export function stoppedAsTold(run: ObservedRun, { pod, sessionId, online }: ProductSession): boolean {
  const [asked, stopped] = [eventLine(run, pod.uid, 'shutdown_requested'), eventLine(run, pod.uid, 'stopped')];
  if (asked === null || stopped === null || asked.body.index > stopped.body.index) return false;
  const { line } = stopped.body;
  const fenced = (): boolean => ingressRequests(run).some((request) => request.sessionId === sessionId && request.operation === 'transition' && request.status === 409);
  const drainMs = numberAt(line, 'drainElapsedMs') ?? NaN;
  return (
    textAt(line, 'sessionId') === sessionId &&
    numberAt(line, 'generation') === numberIn(online, 'generation') &&
    (line['offlineConfirmed'] === true || (line['offlineConfirmed'] === false && fenced())) &&
    drainMs <= instantMs(line['at']) - instantMs(asked.body.line['at']) + LARGEST_DRIFT_MS
  );
}

export const recordedAtMs = (row: Row | null): number => numberIn(row, 'recorded_at_ms');
