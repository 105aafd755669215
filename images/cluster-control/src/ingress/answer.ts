import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IngressRefusal } from './refusal.ts';

export interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Bytes and time for which the rest of a refused body is still taken in. */
const LINGER_BYTES = 1024 * 1024;
const LINGER_MS = 2_000;

export function toAnswer(value: object): Answer {
  return { status: 200, code: null, headers: {}, body: JSON.stringify(value) };
}

export function toRefusalAnswer(refusal: IngressRefusal): Answer {
  const retry: Record<string, string> = refusal.retryAfterSeconds === null ? {} : { 'retry-after': String(refusal.retryAfterSeconds) };
  const challenge: Record<string, string> = refusal.status === 401 ? { 'www-authenticate': 'Worker' } : {};
  return { status: refusal.status, code: refusal.code, headers: { ...retry, ...challenge }, body: JSON.stringify({ code: refusal.code }) };
}

/** Sends an answer, once. `lastOnConnection` makes the peer open a new connection for its next request. */
export function sendAnswer(request: IncomingMessage, response: ServerResponse, answer: Answer, lastOnConnection: boolean): void {
  if (response.headersSent || response.destroyed) return;
  const close = lastOnConnection || !request.complete;
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(answer.body),
    'cache-control': 'no-store',
    ...(close ? { connection: 'close' } : {}),
    ...answer.headers,
  });
  if (request.complete) response.end(answer.body);
  else lingerThenEnd(request, response, answer.body);
}

/**
 * Closing a connection with unread bytes resets it, and the reset can overtake the answer (RFC 9112, section 9.6).
 * So the answer goes out whole, a bounded rest of the request is discarded, and only then the connection ends.
 */
function lingerThenEnd(request: IncomingMessage, response: ServerResponse, body: string): void {
  let discarded = 0;
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  response.write(body);
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > LINGER_BYTES) end();
  });
  request.once('end', end).once('close', end);
}
