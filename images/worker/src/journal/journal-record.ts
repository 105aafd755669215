import { createHash } from 'node:crypto';

/**
 * What the journal says. A session runs registering -> registered -> draining -> offline; `abandoned` ends it from anywhere,
 * with the reason. `registering` is written before the request leaves, so that a session that the Control may hold is never unknown here.
 */
export type JournalEntry =
  | { readonly type: 'created'; readonly workerId: string }
  | { readonly type: 'registering'; readonly sessionId: string }
  | { readonly type: 'registered'; readonly sessionId: string; readonly generation: number; readonly version: number }
  | { readonly type: 'draining'; readonly sessionId: string; readonly version: number }
  | { readonly type: 'offline'; readonly sessionId: string; readonly version: number }
  | { readonly type: 'abandoned'; readonly sessionId: string; readonly reason: AbandonReason };

export type AbandonReason = 'found_at_start' | 'registration_unconfirmed' | 'fenced' | 'lease_expired' | 'offline_unconfirmed';
export type JournalRecord = { readonly sequence: number; readonly atMs: number } & JournalEntry;

const MAGIC = 'ql3j1';
const DIGEST_LENGTH = 64;
const LENGTH_DIGITS = 8;
/** `ql3j1 <length> <digest> `, then the JSON, then one newline. */
export const HEADER_BYTES = MAGIC.length + 1 + LENGTH_DIGITS + 1 + DIGEST_LENGTH + 1;
const HEADER = /^ql3j1 (\d{8}) ([0-9a-f]{64}) $/;

/** The digest before the first record. */
export const FIRST_LINK = createHash('sha256').update('qinglong3-worker-journal@v1\0').digest('hex');

export interface EncodedRecord {
  readonly bytes: Buffer;
  readonly link: string;
}

/** Each digest covers the one before, so that a record cannot be lost, moved or repeated without notice. */
export function encodeRecord(record: JournalRecord, previousLink: string): EncodedRecord {
  const json = JSON.stringify(record);
  const link = linkOf(previousLink, Buffer.from(json));
  const length = String(Buffer.byteLength(json)).padStart(LENGTH_DIGITS, '0');
  return { bytes: Buffer.from(`${MAGIC} ${length} ${link} ${json}\n`), link };
}

/** The record that starts at the offset, or null when what is there is not one that follows the previous link. */
export function decodeRecord(bytes: Buffer, offset: number, previousLink: string): { record: JournalRecord; link: string; end: number } | null {
  const header = HEADER.exec(bytes.toString('latin1', offset, offset + HEADER_BYTES));
  if (header === null) return null;
  const start = offset + HEADER_BYTES;
  const end = start + Number(header[1]);
  if (end >= bytes.length || bytes[end] !== 0x0a) return null;
  const json = bytes.subarray(start, end);
  const link = linkOf(previousLink, json);
  if (link !== header[2]) return null;
  const record = parseRecord(json.toString('utf8'));
  return record === null ? null : { record, link, end: end + 1 };
}

function linkOf(previousLink: string, json: Uint8Array): string {
  return createHash('sha256').update(previousLink).update('\0').update(json).digest('hex');
}

const KEYS: Readonly<Record<JournalEntry['type'], readonly string[]>> = {
  created: ['workerId'],
  registering: ['sessionId'],
  registered: ['sessionId', 'generation', 'version'],
  draining: ['sessionId', 'version'],
  offline: ['sessionId', 'version'],
  abandoned: ['sessionId', 'reason'],
};

/** Null for what this version does not know: a newer journal under an older Worker is refused rather than half understood. */
function parseRecord(json: string): JournalRecord | null {
  const value = parseObject(json);
  if (value === null || !Object.hasOwn(KEYS, String(value['type']))) return null;
  const keys = KEYS[value['type'] as JournalEntry['type']];
  const expected = new Set(['sequence', 'atMs', 'type', ...keys]);
  const present = Object.keys(value);
  if (present.length !== expected.size || !present.every((key) => expected.has(key))) return null;
  const numbers = ['sequence', 'atMs', ...keys.filter((key) => key === 'generation' || key === 'version')];
  const texts = keys.filter((key) => key !== 'generation' && key !== 'version');
  if (!numbers.every((key) => Number.isSafeInteger(value[key])) || !texts.every((key) => typeof value[key] === 'string')) return null;
  return value as JournalRecord;
}

function parseObject(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
