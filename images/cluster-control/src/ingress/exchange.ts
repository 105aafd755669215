import type { IncomingMessage, ServerResponse } from 'node:http';
import { type VerifiedPeer, verifiedPeerOf } from '../listeners/client-certificate.ts';
import { type Answer, toRefusalAnswer } from './answer.ts';
import { describeCause } from './failure.ts';
import type { IngressRefusal } from './refusal.ts';
import type { SessionRoute } from './route.ts';

/** One request with what has been learned of it so far; the log line at its end is written from this. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly peer: VerifiedPeer;
  readonly address: string;
  route: SessionRoute | null;
  credentialId: string | null;
  generation: number | null;
  version: number | null;
  /** Why it was refused, in more detail than the peer is told. */
  reason: string | null;
  /** What failed underneath, when it was the ingress's own failure. */
  cause: Record<string, unknown> | null;
}

/** Null when the connection has no verified client certificate or is gone; such a request gets no answer. */
export function openExchange(request: IncomingMessage, response: ServerResponse): Exchange | null {
  const peer = verifiedPeerOf(request.socket);
  const address = request.socket.remoteAddress;
  if (peer === null || address === undefined) return null;
  return {
    request,
    response,
    peer,
    address: address.replace(/^::ffff:/u, ''),
    route: null,
    credentialId: null,
    generation: null,
    version: null,
    reason: null,
    cause: null,
  };
}

/** Notes why, for the log line, and makes the answer, which says less. */
export function refuse(exchange: Exchange, refusal: IngressRefusal): Answer {
  exchange.reason = refusal.reason;
  exchange.cause = describeCause(refusal);
  return toRefusalAnswer(refusal);
}

export function describeExchange(exchange: Exchange, status: number, code: string | null): Record<string, unknown> {
  return {
    operation: exchange.route?.operation ?? null,
    workerId: exchange.route?.workerId ?? null,
    sessionId: exchange.route?.sessionId ?? null,
    credentialId: exchange.credentialId,
    status,
    code,
    reason: exchange.reason,
    ...(exchange.cause === null ? {} : { cause: exchange.cause }),
    generation: exchange.generation,
    version: exchange.version,
    clientCertificateFingerprint: exchange.peer.clientCertificateFingerprint,
    tlsProtocol: exchange.peer.protocol,
    peerPort: exchange.request.socket.remotePort ?? null,
  };
}
