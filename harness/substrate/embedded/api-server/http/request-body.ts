import type { IncomingMessage } from 'node:http';
import { parse } from 'yaml';
import { parseJson, type ParsedJson } from '../decoding/json-text.ts';
import { decodeProtobufBody, isProtobuf } from '../protobuf/decode-body.ts';
import { ApiStatusError, badRequest } from '../status-error.ts';

/** What the real API server takes at most (MaxRequestBodyBytes). */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > MAX_BODY_BYTES) throw bodyTooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw bodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function bodyTooLarge(): ApiStatusError {
  return new ApiStatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY_BYTES}`, {});
}

export function mediaTypeOf(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Parses a body by its media type: JSON, YAML or Kubernetes' protobuf. */
export function parseBody(body: Buffer, mediaType: string, expected: string): ParsedJson {
  if (mediaType === PROTOBUF || isProtobuf(body)) return { value: decodeProtobufBody(body), duplicateFields: [] };
  const text = decodeUtf8(body);
  switch (mediaType) {
    case '':
    case 'application/json':
    case 'text/json':
    case '*/*':
      if (text.trim() === '') throw badRequest(`the object provided is unrecognized (must be of type ${expected}): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)`);
      return parseJson(text);
    case 'application/yaml':
      return { value: parseYaml(text), duplicateFields: [] };
    default:
      throw unsupportedMediaType(mediaType, ['application/json', 'application/yaml', PROTOBUF]);
  }
}

export function unsupportedMediaType(given: string, accepted: readonly string[]): ApiStatusError {
  return new ApiStatusError(415, 'UnsupportedMediaType', `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`, { causes: [{ message: `got ${JSON.stringify(given)}` }] });
}

/** A key that comes twice is an error in YAML 1.2, whatever the field validation. */
export function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100, uniqueKeys: true });
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: yaml: ${(error as Error).message.split('\n', 1)[0]}`);
  }
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw badRequest('the body of the request is not valid UTF-8');
  }
}
