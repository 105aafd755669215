import { groupBy } from './group-by.ts';
import { instantMs } from '../instants.ts';
import type { ObservationOf } from '../observation.ts';
import { numberAt, textAt } from './fields.ts';
import { fact, type ObservedRun } from './observed-run.ts';

/** One request of a Worker as Cluster Control logged it. */
export interface IngressRequest {
  readonly seq: number;
  readonly podUid: string;
  /** Place of its line in the log of its Pod. */
  readonly index: number;
  readonly operation: string | null;
  readonly workerId: string | null;
  readonly sessionId: string | null;
  readonly credentialId: string | null;
  readonly status: number | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly generation: number | null;
  readonly version: number | null;
  readonly fingerprint: string | null;
  readonly tlsProtocol: string | null;
  readonly peerPort: number | null;
  readonly atMs: number;
}

export const ingressRequests = fact((run: ObservedRun): readonly IngressRequest[] =>
  ingressEvents(run, 'worker_request').map(({ seq, body: { podUid, index, line } }) => ({
    seq,
    podUid,
    index,
    operation: textAt(line, 'operation'),
    workerId: textAt(line, 'workerId'),
    sessionId: textAt(line, 'sessionId'),
    credentialId: textAt(line, 'credentialId'),
    status: numberAt(line, 'status'),
    code: textAt(line, 'code'),
    reason: textAt(line, 'reason'),
    generation: numberAt(line, 'generation'),
    version: numberAt(line, 'version'),
    fingerprint: textAt(line, 'clientCertificateFingerprint'),
    tlsProtocol: textAt(line, 'tlsProtocol'),
    peerPort: numberAt(line, 'peerPort'),
    atMs: instantMs(line['at']),
  })),
);

const requestsBySession = fact((run: ObservedRun) => groupBy(ingressRequests(run), ({ sessionId }) => sessionId));

/** Requests of one session that were answered 200. */
export function acceptedRequests(run: ObservedRun, sessionId: string | null): readonly IngressRequest[] {
  return sessionId === null ? [] : (requestsBySession(run).get(sessionId) ?? []).filter(({ status }) => status === 200);
}

const acceptedByState = fact((run: ObservedRun) => groupBy(ingressRequests(run).filter(({ status }) => status === 200), ({ sessionId, version }) => `${sessionId} ${version}`));

/** Those that brought one version of a session: a repeated registration is answered with that of the first. */
export function acceptedForState(run: ObservedRun, sessionId: string | null, version: number): readonly IngressRequest[] {
  return acceptedByState(run).get(`${sessionId} ${version}`) ?? [];
}

const connection = (podUid: string, peerPort: number | null, fingerprint: string | null): string => `${podUid} ${peerPort} ${fingerprint}`;

/** The first handshake of each connection; the kernel may give a port to a later connection once more. */
const handshakes = fact((run: ObservedRun): ReadonlyMap<string, ObservationOf<'ingress.line'>['body']> => {
  const first = new Map<string, ObservationOf<'ingress.line'>['body']>();
  for (const { body } of ingressEvents(run, 'tls_handshake')) {
    const key = connection(body.podUid, numberAt(body.line, 'peerPort'), textAt(body.line, 'clientCertificateFingerprint'));
    if (body.index < (first.get(key)?.index ?? Infinity)) first.set(key, body);
  }
  return first;
});

const handshakeOf = (run: ObservedRun, { podUid, peerPort, fingerprint }: IngressRequest) => handshakes(run).get(connection(podUid, peerPort, fingerprint));

/** Whether the ingress had logged the handshake of the connection that the request came over, under the same certificate. */
export function cameOverHandshake(run: ObservedRun, request: IngressRequest): boolean {
  return (handshakeOf(run, request)?.index ?? Infinity) < request.index;
}

/** When the connection that the request came over was there; NaN when the ingress does not say. */
export function connectedAtMs(run: ObservedRun, request: IngressRequest): number {
  return instantMs(handshakeOf(run, request)?.line['at']);
}

export function ingressEvents(run: ObservedRun, event: string): readonly ObservationOf<'ingress.line'>[] {
  return run.of('ingress.line').filter(({ body }) => body.line['event'] === event);
}
