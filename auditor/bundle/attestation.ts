import type { KeyObject } from 'node:crypto';
import { ATTESTATION_PATH, type BundleFiles } from '../../evidence/bundle-layout.ts';
import { dsseEnvelope, isSignedBy, type DsseEnvelope } from '../../evidence/dsse.ts';
import type { Observation } from '../../evidence/observation.ts';
import { faultsOf, isObject } from '../../evidence/shape.ts';
import { STATEMENT_PAYLOAD_TYPE, statementOf } from '../../evidence/statement.ts';
import { parseStrictJson } from '../../evidence/strict-json.ts';
import { differences } from '../observations/differences.ts';
import { readShape } from '../questions/shape.ts';
import { readCanonical } from './canonical-text.ts';

/** What is signed well, and is not what is here. */
export const OTHER_STATEMENT = 'expected the statement that follows from this bundle';

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
  return statement.equals(signed) ? [] : [`${ATTESTATION_PATH}: ${OTHER_STATEMENT}; ${statementDifference(signed, statement)}`];
}

const [MOST_DIFFERENCES, LONGEST_PATH] = [6, 120];

/** Which parts of the statement differ, and what that means. */
function statementDifference(signed: Buffer, expected: Buffer): string {
  const said = parseStrictJson(signed.toString());
  if (!said.ok) return `its statement is no JSON: ${said.message}`;
  const all = differences(byName(said.value), byName(JSON.parse(expected.toString())));
  if (all.length === 0) return 'it says the same in other bytes than canonical JSON, or in another order';
  const meaning = all.some(({ path }) => path.startsWith('subject')) ? 'it was signed for another report or bundle' : 'it was signed for these very files, so the report that is audited is not the one that was signed';
  const told = all.slice(0, MOST_DIFFERENCES).map(({ path, left, right }) => `${path.slice(0, LONGEST_PATH)}: signed ${left}, here ${right}`);
  return [meaning, ...told, ...(all.length > told.length ? [`and ${all.length - told.length} more`] : [])].join('; ');
}

/** A list of names, or of what has names of its own, as an object, so that what differs is told by its name. */
function byName(value: unknown): unknown {
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, byName(each)]));
  if (!Array.isArray(value)) return value;
  const named = new Map(value.map((each: unknown) => (isObject(each) ? [each['name'], byName(each)] : [each, 'listed'])));
  return named.size === value.length && [...named.keys()].every((name) => typeof name === 'string') ? Object.fromEntries(named) : value;
}
