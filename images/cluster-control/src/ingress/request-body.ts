import type { IncomingMessage } from 'node:http';
import { IngressRefusal } from './refusal.ts';

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/iu;

/** Reads a JSON request's bytes, refusing what is not JSON (415), too long (413) or broken off (400). */
export async function readJsonBody(request: IncomingMessage, limitBytes: number, signal: AbortSignal): Promise<Buffer> {
  if (!JSON_MEDIA_TYPE.test(request.headers['content-type'] ?? '')) {
    throw new IngressRefusal('worker_media_type_unsupported', 'content_type_not_json');
  }
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new IngressRefusal('worker_media_type_unsupported', 'content_encoding_not_identity');
  }
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge();
  return collect(request, limitBytes, signal);
}

function collect(request: IncomingMessage, limitBytes: number, signal: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > limitBytes) reject(tooLarge());
    else chunks.push(chunk);
  };
  const onEnd = (): void => resolve(Buffer.concat(chunks));
  const onBroken = (): void => reject(new IngressRefusal('invalid_worker_request', 'body_broken_off'));
  const onAbort = (): void => reject(new IngressRefusal('request_timeout', 'body_not_received_in_time'));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  request.on('data', onData).once('end', onEnd).once('close', onBroken).once('error', onBroken);
  return promise.finally(() => {
    signal.removeEventListener('abort', onAbort);
    request.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken);
  });
}

function tooLarge(): IngressRefusal {
  return new IngressRefusal('worker_request_too_large', 'body_too_large');
}
