import type { ServerResponse } from 'node:http';
import { stringify } from 'yaml';
import { ApiStatusError, internalError } from '../status-error.ts';

const MAX_WARNINGS_BYTES = 4096;

export interface AnswerFormat {
  readonly contentType?: string;
  readonly yaml?: boolean;
  readonly warnings?: readonly string[];
}

export function sendObject(response: ServerResponse, code: number, object: unknown, { contentType, yaml = false, warnings = [] }: AnswerFormat = {}): void {
  const body = yaml ? stringify(object) : `${JSON.stringify(object)}\n`;
  if (warnings.length > 0) response.setHeader('warning', warningHeaders(warnings));
  response.writeHead(code, {
    'content-type': contentType ?? (yaml ? 'application/yaml' : 'application/json'),
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-cache, private',
  });
  response.end(body);
}

export function sendText(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text), 'cache-control': 'no-cache, private', 'x-content-type-options': 'nosniff' });
  response.end(text);
}

/** Answers with a Status, unless the answer has begun already: then the connection is cut, so that it cannot be taken for whole. */
export function sendError(response: ServerResponse, error: ApiStatusError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const retryAfter = error.details?.retryAfterSeconds;
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  if (error.code === 413) response.setHeader('connection', 'close');
  sendObject(response, error.code, error.toStatus());
}

/** What an unforeseen fault says to the client; its details stay in the process. */
export function toStatusError(error: unknown): ApiStatusError {
  if (error instanceof ApiStatusError) return error;
  return internalError(error instanceof Error ? error.message : String(error));
}

function warningHeaders(warnings: readonly string[]): string[] {
  const headers: string[] = [];
  let size = 0;
  for (const warning of warnings) {
    const printable = warning.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll(/[^\x20-\x7e]/g, '?');
    size += printable.length;
    if (size > MAX_WARNINGS_BYTES) break;
    headers.push(`299 - "${printable}"`);
  }
  return headers;
}
