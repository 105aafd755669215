import type { KeyObject } from 'node:crypto';
import { ATTESTATION_PATH, type BundleFiles } from '../../evidence/bundle-layout.ts';
import { dsseEnvelope, isSignedBy, type DsseEnvelope } from '../../evidence/dsse.ts';
import type { Observation } from '../../evidence/observation.ts';
import { faultsOf, isObject } from '../../evidence/shape.ts';
import { STATEMENT_PAYLOAD_TYPE, statementOf } from '../../evidence/statement.ts';
import { parseStrictJson } from '../../evidence/strict-json.ts';
import { readShape } from '../questions/shape.ts';
import { readCanonical } from './canonical-text.ts';

/** Does the envelope say what this bundle is, and, where a key was given, has its owner signed that? */
export function attestationFaults(files: BundleFiles, report: unknown, observations: readonly Observation[], publicKey: KeyObject | null): string[] {
  const bytes = files.get(ATTESTATION_PATH);
  if (bytes === undefined) return publicKey === null ? [] : [`${ATTESTATION_PATH}: expected a signature, since a public key was given; the bundle has none`];
  const read = readCanonical(bytes);
  if (!read.ok) return [`${ATTESTATION_PATH}: ${read.fault}`];
  const wrong = faultsOf(dsseEnvelope, read.value)[0];
  if (wrong !== undefined) return [`${ATTESTATION_PATH}: ${wrong.path.slice(0, 200)}: expected ${wrong.expected}, got ${wrong.got}`];
  const envelope = read.value as DsseEnvelope;
  // the signature first: what nobody has signed need not be understood
  if (publicKey !== null && !isSigned(envelope, publicKey)) return [`${ATTESTATION_PATH}: expected a signature by the public key that was given`];
  return statementFaults(envelope, files, report, observations);
}

function isSigned(envelope: DsseEnvelope, publicKey: KeyObject): boolean {
  try {
    return isSignedBy(envelope, publicKey);
  } catch {
    return false;
  }
}

function statementFaults({ payloadType, payload }: DsseEnvelope, files: BundleFiles, value: unknown, observations: readonly Observation[]): string[] {
  if (payloadType !== STATEMENT_PAYLOAD_TYPE) return [`${ATTESTATION_PATH}: expected the payload type ${STATEMENT_PAYLOAD_TYPE}`];
  const { report } = readShape(value, 'release');
  if (report === null) return [`${ATTESTATION_PATH}: what it attests is no report`];
  const statement = statementOf(files, report, observations);
  const signed = Buffer.from(payload, 'base64');
  return statement.equals(signed) ? [] : [`${ATTESTATION_PATH}: expected the statement that follows from this bundle; ${statementDifference(signed, statement)}`];
}

const [MOST_DIFFERENCES, LONGEST_VALUE, LONGEST_PATH] = [6, 100, 120];

/** Which parts of the statement differ, and what that means. */
function statementDifference(signed: Buffer, expected: Buffer): string {
  const said = parseStrictJson(signed.toString());
  if (!said.ok) return `its statement is no JSON: ${said.message}`;
  const all = differences(said.value, JSON.parse(expected.toString()), '');
  if (all.length === 0) return 'it says the same in other bytes than canonical JSON';
  const meaning = all.some((each) => each.startsWith('subject')) ? 'it was signed for another report or bundle' : 'it was signed for these very files, so the report that is audited is not the one that was signed';
  return [meaning, ...all.slice(0, MOST_DIFFERENCES), ...(all.length > MOST_DIFFERENCES ? [`and ${all.length - MOST_DIFFERENCES} more`] : [])].join('; ');
}

function differences(signed: unknown, here: unknown, path: string): string[] {
  const [theirs, ours] = [partsOf(signed), partsOf(here)];
  if (theirs !== null && ours !== null) return [...new Set([...theirs.keys(), ...ours.keys()])].flatMap((key) => differences(theirs.get(key), ours.get(key), path === '' ? key : `${path}.${key}`));
  if (shown(signed) === shown(here)) return [];
  const [more, less] = [beyond(signed, here), beyond(here, signed)];
  const told = more.length + less.length === 0 ? [`signed ${cut(shown(signed))}, here ${cut(shown(here))}`] : [...more.map((each) => `only the signed one has ${cut(each)}`), ...less.map((each) => `only this one has ${cut(each)}`)];
  return told.map((each) => `${path.slice(0, LONGEST_PATH)}: ${each}`);
}

/** Members of an object, or of a list whose entries have names of their own. */
function partsOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (isObject(value)) return new Map(Object.entries(value));
  const named = Array.isArray(value) ? value.flatMap((each: unknown): [string, unknown][] => (isObject(each) && typeof each['name'] === 'string' ? [[each['name'], each]] : [])) : [];
  return Array.isArray(value) && value.length > 0 && new Map(named).size === value.length ? new Map(named) : null;
}

/** Names of one list that the other has not. */
function beyond(list: unknown, other: unknown): readonly string[] {
  const known = new Set<unknown>(Array.isArray(other) ? other : []);
  return Array.isArray(list) && Array.isArray(other) ? list.filter((each: unknown): each is string => typeof each === 'string' && !known.has(each)) : [];
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
const cut = (text: string): string => (text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text);
