import { readFileSync } from 'node:fs';
import { badRequest } from '../status-error.ts';
import { readFields } from './wire-reader.ts';

/** Four bytes before every protobuf body of Kubernetes, then a runtime.Unknown. */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
const MAX_DEPTH = 100;

/** Go embeds these structs: their fields are the fields of what holds them. */
const INLINE = new Set(['volumeSource', 'handler', 'persistentVolumeSource', 'localObjectReference', 'ephemeralContainerCommon']);

type Messages = Readonly<Record<string, Readonly<Record<string, string>>>>;

let messages: Messages | null = null;

export function isProtobuf(body: Uint8Array): boolean {
  return MAGIC.equals(body.subarray(0, MAGIC.length));
}

/** Turns a protobuf body into the JSON that it stands for. kubectl sends its own objects so. */
export function decodeProtobufBody(body: Uint8Array): Record<string, unknown> {
  if (!isProtobuf(body)) throw badRequest('the body of the request does not begin as a protobuf body of Kubernetes');
  let apiVersion = '';
  let kind = '';
  let raw: Uint8Array = new Uint8Array();
  for (const { number, value } of readFields(body.subarray(MAGIC.length))) {
    if (number === 1) for (const field of readFields(bytesOf(value))) {
      if (field.number === 1) apiVersion = textOf(field.value);
      else kind = textOf(field.value);
    }
    else if (number === 2) raw = bytesOf(value);
  }
  const message = messageNameOf(apiVersion, kind);
  if (message === null) throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in protobuf`);
  return { apiVersion, kind, ...decodeMessage(raw, message, 0) };
}

function messageNameOf(apiVersion: string, kind: string): string | null {
  messages ??= JSON.parse(readFileSync(new URL('message-fields.json', import.meta.url), 'utf8')) as Messages;
  const group = apiVersion.includes('/') ? (apiVersion.split('/', 1)[0]?.split('.', 1)[0] ?? '') : 'core';
  const version = apiVersion.split('/').at(-1);
  const candidates = [`api.${group}.${version}.${kind}`, `apimachinery.pkg.apis.meta.v1.${kind}`];
  return candidates.find((name) => messages?.[name] !== undefined) ?? null;
}

function decodeMessage(bytes: Uint8Array, name: string, depth: number): Record<string, unknown> {
  if (depth > MAX_DEPTH) throw badRequest('the body of the request is nested too deeply');
  const fields = messages?.[name] ?? {};
  const result: Record<string, unknown> = {};
  for (const { number, value } of readFields(bytes)) {
    const [field, type = ''] = fields[number]?.split(' ') ?? [];
    if (field === undefined) continue;
    if (type.startsWith('[]')) ((result[field] ??= []) as unknown[]).push(decodeValue(value, type.slice(2), depth));
    else if (type.startsWith('{}')) {
      const [key, item] = decodeEntry(bytesOf(value), type.slice(2), depth);
      Object.defineProperty((result[field] ??= {}), key, { value: item, enumerable: true, configurable: true, writable: true });
    } else if (INLINE.has(field)) Object.assign(result, decodeMessage(bytesOf(value), type, depth + 1));
    else result[field] = decodeValue(value, type, depth);
  }
  return result;
}

function decodeEntry(bytes: Uint8Array, type: string, depth: number): [string, unknown] {
  let key = '';
  let item: unknown = type === 'string' || type === 'bytes' ? '' : {};
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) key = textOf(value);
    else item = decodeValue(value, type, depth);
  }
  return [key, item];
}

function decodeValue(value: bigint | Uint8Array, type: string, depth: number): unknown {
  switch (type) {
    case 'string':
      return textOf(value);
    case 'bool':
      return value !== 0n;
    case 'int32':
    case 'int64':
    case 'uint32':
      return Number(value);
    case 'bytes':
      return Buffer.from(bytesOf(value)).toString('base64');
    case 'double':
      return Buffer.from(bytesOf(value)).readDoubleLE();
  }
  return decodeSpecial(bytesOf(value), type, depth);
}

/** Messages that are scalars in JSON. */
function decodeSpecial(bytes: Uint8Array, type: string, depth: number): unknown {
  const message = decodeMessage(bytes, type, depth + 1);
  switch (type.split('.').at(-1)) {
    case 'Time':
    case 'MicroTime': {
      const { seconds, nanos = 0 } = message as { seconds?: number; nanos?: number };
      if (seconds === undefined) return null;
      const time = new Date(seconds * 1000 + nanos / 1e6).toISOString();
      return type.endsWith('.Time') ? `${time.slice(0, 19)}Z` : `${time.slice(0, 23)}000Z`;
    }
    case 'Quantity':
      return message['string'] ?? '0';
    case 'IntOrString':
      return message['type'] === 1 ? (message['strVal'] ?? '') : (message['intVal'] ?? 0);
    case 'FieldsV1':
      return JSON.parse(Buffer.from((message['Raw'] as string | undefined) ?? 'e30=', 'base64').toString()) as unknown;
    case 'ExtraValue':
      return message['items'] ?? [];
    default:
      return message;
  }
}

function bytesOf(value: bigint | Uint8Array): Uint8Array {
  if (typeof value === 'bigint') throw badRequest('the body of the request is not a well-formed protobuf message: a number stands where a message is expected');
  return value;
}

function textOf(value: bigint | Uint8Array): string {
  return new TextDecoder().decode(bytesOf(value));
}
