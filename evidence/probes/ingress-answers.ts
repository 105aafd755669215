import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { CONTRACT_NAMES } from '../contract-names.ts';
import { groupBy } from '../facts/group-by.ts';
import { numberAt, textAt } from '../facts/fields.ts';
import { cameOverHandshake, ingressEvents, ingressRequests } from '../facts/ingress.ts';
import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { podsByUid } from '../facts/pods.ts';
import { probeResult, type ProbeResult } from '../facts/probe-results.ts';
import { isOfItsPod, type ProcessLine } from '../facts/process-lines.ts';
import { numberIn, rowsOf, rowsWhere, textIn } from '../facts/rows.ts';
import { instantMs } from '../instants.ts';
import type { ObservationOf, ProbeId } from '../observation.ts';
import { rule, verdict, type Rule, type Verdict } from '../verdict.ts';

const AUTHENTICATION_REQUIRED = 'worker_authentication_required';
/** Why the ingress refuses a token that it knows: its credential is not active. A token that nobody made is refused for another reason. */
const NOT_ACTIVE = 'credential_not_active';

const CREDENTIALS = { 'revoked-token': CONTRACT_NAMES.credentialIds[1], 'superseded-token': CONTRACT_NAMES.credentialIds[2] } as const;
type TokenProbe = keyof typeof CREDENTIALS;

/** Why the ingress refuses a handshake: OpenSSL's reason, or that of the verification. */
const REFUSALS = { 'handshake-without-certificate': 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE', 'handshake-revoked-certificate': 'CERT_REVOKED' } as const;
type HandshakeProbe = keyof typeof REFUSALS;

/** What a client is told when nobody took its connection: then nobody refused its handshake either. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'ETIMEDOUT', 'EAI_AGAIN']);

const printedAnswers = fact((run: ObservedRun) => groupBy(run.of('process.line').filter(({ body }) => body.line['event'] === 'ingress_probed'), ({ body }) => textAt(body.line, 'attempt')));

/** What the Pod that made the attempt printed of it. */
export function printedAnswer(run: ObservedRun, probe: ProbeId): ProcessLine | null {
  const printed = (printedAnswers(run).get(probe) ?? []).filter((line) => isOfItsPod(podsByUid(run).get(line.body.podUid), line));
  return printed.length === 1 ? (printed[0] as ProcessLine) : null;
}

/** Lines of the ingress about the connection that the attempt came over. */
function linesOfPeer(run: ObservedRun, event: string, localPort: number | null): readonly ObservationOf<'ingress.line'>[] {
  return ingressEvents(run, event).filter(({ body }) => localPort !== null && numberAt(body.line, 'peerPort') === localPort);
}

/** Where the Pod told when it made the attempt, the recorded window encloses that. */
function enclosed(result: ProbeResult<ProbeId> | null, printed: ProcessLine | null): boolean {
  const { startedAt, endedAt } = printed?.body.line ?? {};
  return startedAt === undefined || (result !== null && instantMs(startedAt) >= result.window.fromMs && instantMs(endedAt) <= result.window.toMs);
}

/** A token was presented over a good certificate and answered 401, because its credential is revoked. */
export function refusedTokenVerdict(run: ObservedRun, probe: TokenProbe): Verdict {
  const result: ProbeResult<TokenProbe> | null = probeResult(run, probe);
  const printed = printedAnswer(run, probe);
  const localPort = numberAt(printed?.body.line, 'localPort');
  const refused = ingressRequests(run).filter(({ peerPort, status }) => localPort !== null && peerPort === localPort && status === 401);
  const [request] = refused;
  const audits = rowsWhere(rowsWhere(rowsOf(run, 'security_audit_events'), 'outcome', 'denied'), 'resource_id', request?.sessionId ?? null);
  const credential = rowsWhere(rowsOf(run, 'worker_credentials'), 'credential_id', result?.facts.credentialId ?? null)[0];
  return verdict([
    rule('the probe was made once and answered 401', result?.facts.status === 401 && result.facts.code === AUTHENTICATION_REQUIRED, [result]),
    rule(`the token is that of ${CREDENTIALS[probe]}`, result?.facts.credentialId === CREDENTIALS[probe], [result]),
    rule('the Pod that presented the token got that answer', numberAt(printed?.body.line, 'status') === 401 && enclosed(result, printed), [printed]),
    rule(
      'the ingress logged the refusal, of a credential that it knew and that was not active',
      refused.length === 1 && request?.code === AUTHENTICATION_REQUIRED && request.reason === NOT_ACTIVE && request.workerId === CONTRACT_NAMES.workerId && cameOverHandshake(run, request),
      [printed, ...refused],
    ),
    rule('the refusal is on record in the database', request !== undefined && audits.some((row) => textIn(row, 'action') === `worker_session.${request.operation}` && textIn(row, 'reason_code') === NOT_ACTIVE), [...refused, ...audits]),
    rule('the credential is revoked, and was when the token was presented', textIn(credential, 'state') === 'revoked' && request !== undefined && numberIn(credential, 'revoked_at_ms') <= request.atMs + CLOCK_BOUND_MS, [result, credential, ...refused]),
  ]);
}

/** Refusals by the ingress of the handshake that the attempt came over. */
export function refusalsOf(run: ObservedRun, probe: HandshakeProbe): readonly ObservationOf<'ingress.line'>[] {
  return linesOfPeer(run, 'tls_handshake_refused', probeResult(run, probe)?.facts.localPort ?? null);
}

/** Requests over the port of the attempt while it was made, or that do not say when. A Pod elsewhere may have had the same port before or after: each has an address of its own. */
function requestsOfAttempt(run: ObservedRun, result: ProbeResult<HandshakeProbe> | null): readonly ObservationOf<'ingress.line'>[] {
  return linesOfPeer(run, 'worker_request', result?.facts.localPort ?? null).filter(({ body: { line } }) => {
    const atMs = instantMs(line['at']);
    return result === null || Number.isNaN(atMs) || (atMs >= result.window.fromMs && atMs <= result.window.toMs);
  });
}

/** The connection was refused before any request. */
export function refusedHandshakeRules(run: ObservedRun, probe: HandshakeProbe): Rule[] {
  const result: ProbeResult<HandshakeProbe> | null = probeResult(run, probe);
  const printed = printedAnswer(run, probe);
  const line = printed?.body.line;
  const refusals = refusalsOf(run, probe);
  const requests = requestsOfAttempt(run, result);
  return [
    rule('the probe was made once and refused', result?.facts.refused === true, [result]),
    rule('the Pod that made the attempt was connected, and got no answer', line?.['answered'] === false && numberAt(line, 'localPort') === result?.facts.localPort && !NEVER_CONNECTED.has(textAt(line, 'error') ?? '') && enclosed(result, printed), [printed]),
    rule(`the ingress refused that handshake with ${REFUSALS[probe]} and saw no request of it`, refusals.some(({ body }) => body.line['reason'] === REFUSALS[probe]) && requests.length === 0, [result, ...refusals, ...requests]),
  ];
}
