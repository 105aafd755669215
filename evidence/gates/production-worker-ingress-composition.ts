import { DATABASE_ROLES } from '../identities.ts';
import { textAt } from '../facts/fields.ts';
import { cameOverHandshake, ingressEvents, ingressRequests } from '../facts/ingress.ts';
import { instantMs } from '../instants.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { controlPods, podsByUid, wasReady } from '../facts/pods.ts';
import { isOfItsPod } from '../facts/process-lines.ts';
import { rowsOf } from '../facts/rows.ts';
import { productSessions } from '../facts/product-sessions.ts';
import { serialsAgree } from '../facts/tls-identities.ts';
import { unrequestedStates } from '../facts/unrequested-states.ts';
import { handshakeWithoutCertificate } from '../probes/handshake-without-certificate.ts';
import { judged, nothing, rule, ruleOf } from '../verdict.ts';

const TLS_1_3 = 'TLSv1.3';

/** Cluster Control was ready, with its own database role, spoke TLS 1.3 alone, and shut out a client without a certificate. */
export const productionWorkerIngressComposition = judged((run: ObservedRun) => {
  const pods = controlPods(run);
  const podUids = new Set(pods.map(({ uid }) => uid));
  const listening = ingressEvents(run, 'listening').filter(({ body }) => podUids.has(body.podUid));
  const handshakes = ingressEvents(run, 'tls_handshake');
  const collectedFromMs = instantMs(run.of('run.step').find(({ body }) => body.step === 'collect')?.at);
  const stored = new Set(rowsOf(run, 'worker_session_history').map(({ columns }) => `${columns['worker_id']} ${columns['session_id']} ${columns['version']}`));
  const unstored = ingressRequests(run).filter((request) => request.status === 200 && !(request.atMs > collectedFromMs) && !stored.has(`${request.workerId} ${request.sessionId} ${request.version}`));
  const requests = productSessions(run).flatMap((session) => session.requests);
  return [
    rule('a Control Pod was ready', pods.some((pod) => wasReady(pod) !== null), pods.map(wasReady)),
    rule(`it listens with the database role ${DATABASE_ROLES.ingress}`, listening.length > 0 && listening.every(({ body }) => textAt(body.line, 'databaseUser') === DATABASE_ROLES.ingress), listening),
    rule('every handshake that it accepted is TLS 1.3 with a client certificate',
      handshakes.length > 0 && handshakes.every(({ body }) => textAt(body.line, 'protocol') === TLS_1_3 && textAt(body.line, 'clientCertificateFingerprint') !== null),
      handshakes),
    rule('every request came over a connection whose handshake it had logged, with the same certificate', ingressRequests(run).every((request) => cameOverHandshake(run, request)), ingressRequests(run)),
    nothing('no request was accepted for a reason to refuse it', ingressRequests(run).filter(({ status, code, reason }) => status === 200 && (code ?? reason) !== null)),
    rule('every accepted request is in the database', unstored.length === 0, unstored),
    nothing('every state of a session, of whichever Worker, comes from a request that was admitted and that the ingress has on record', unrequestedStates(run)),
    rule('authority, ingress and database know each certificate by one serial number', serialsAgree(run), handshakes),
    rule('what it printed is of the time of its Pod', run.of('ingress.line').every((line) => isOfItsPod(podsByUid(run).get(line.body.podUid), line)), listening),
    rule("every accepted request of the Worker's sessions came over TLS 1.3 to that Pod", requests.length > 0 && requests.every(({ tlsProtocol, podUid }) => tlsProtocol === TLS_1_3 && podUids.has(podUid)), requests),
    ruleOf('a handshake without a certificate was refused', handshakeWithoutCertificate(run)),
  ];
});
