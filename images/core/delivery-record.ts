import { deliveryIntentShape, requireAnotherPredecessor, type DeliveryIntent } from './delivery.ts';
import { DomainError, type DomainIssue } from './errors.ts';
import { digestRule, sessionIdRule } from './identifiers.ts';
import { parseJsonText } from './json-text.ts';
import { exactly, instantMs, integer, literal, nullable, readAs } from './shape.ts';

export type DeliveryState = 'credential_committed' | 'published' | 'observed' | 'previous_revoked';

export const DELIVERY_STATES: readonly DeliveryState[] = [
  'credential_committed',
  'published',
  'observed',
  'previous_revoked',
];

/** One row of the delivery ledger: version n is in the n-th state and has the fields of all states up to it. */
export interface DeliveryRecord extends DeliveryIntent {
  readonly version: 1 | 2 | 3 | 4;
  readonly state: DeliveryState;
  readonly credentialCommittedAtMs: number;
  readonly publishedAtMs: number | null;
  readonly publicationDigest: string | null;
  readonly observedAtMs: number | null;
  readonly observedSessionId: string | null;
  readonly observedSessionVersion: number | null;
  readonly previousRevokedAtMs: number | null;
}

const MAXIMUM_RECORD_BYTES = 8_192;

const recordRule = exactly<DeliveryRecord>({
  ...deliveryIntentShape,
  version: literal(1, 2, 3, 4),
  state: literal(...DELIVERY_STATES),
  credentialCommittedAtMs: instantMs,
  publishedAtMs: nullable(instantMs),
  publicationDigest: nullable(digestRule),
  observedAtMs: nullable(instantMs),
  observedSessionId: nullable(sessionIdRule),
  observedSessionVersion: nullable(integer(0)),
  previousRevokedAtMs: nullable(instantMs),
});

export function readDeliveryRecord(value: unknown): DeliveryRecord {
  return readAs('QL3_DELIVERY_RECORD_INVALID', 'the delivery record', recordRule, value, checkLedgerRow);
}

export function parseDeliveryRecord(text: string): DeliveryRecord {
  return readDeliveryRecord(
    parseJsonText('QL3_DELIVERY_RECORD_INVALID', 'the delivery record', text, MAXIMUM_RECORD_BYTES),
  );
}

export function serialiseDeliveryRecord(record: DeliveryRecord): string {
  return JSON.stringify(readDeliveryRecord(record));
}

/** The intent inside a record, keys in the documented order. */
export function deliveryIntentOf(record: DeliveryRecord): DeliveryIntent {
  const intent = Object.fromEntries(
    Object.keys(deliveryIntentShape).map((key) => [key, record[key as keyof DeliveryIntent]]),
  );
  return Object.freeze(intent) as unknown as DeliveryIntent;
}

export function committedRecord(intent: DeliveryIntent, credentialCommittedAtMs: number): DeliveryRecord {
  return readDeliveryRecord({
    ...intent,
    version: 1,
    state: 'credential_committed',
    credentialCommittedAtMs,
    publishedAtMs: null,
    publicationDigest: null,
    observedAtMs: null,
    observedSessionId: null,
    observedSessionVersion: null,
    previousRevokedAtMs: null,
  });
}

export function publishedRecord(
  record: DeliveryRecord,
  publication: { readonly publishedAtMs: number; readonly publicationDigest: string },
): DeliveryRecord {
  return nextRecord(record, 2, publication);
}

export function observedRecord(
  record: DeliveryRecord,
  observation: {
    readonly observedAtMs: number;
    readonly observedSessionId: string;
    readonly observedSessionVersion: number;
  },
): DeliveryRecord {
  return nextRecord(record, 3, observation);
}

export function previousRevokedRecord(record: DeliveryRecord, previousRevokedAtMs: number): DeliveryRecord {
  return nextRecord(record, 4, { previousRevokedAtMs });
}

function nextRecord(record: DeliveryRecord, version: 2 | 3 | 4, fields: Partial<DeliveryRecord>): DeliveryRecord {
  if (record.version !== version - 1) {
    throw new DomainError('QL3_DELIVERY_RECORD_INVALID', 'the next delivery record', [
      { path: 'version', expected: `a successor of version ${version - 1}`, got: `version ${record.version}` },
    ]);
  }
  return readDeliveryRecord({ ...record, ...fields, version, state: DELIVERY_STATES[version - 1] });
}

function checkLedgerRow(record: DeliveryRecord, issues: DomainIssue[]): void {
  requireAnotherPredecessor(record, issues);
  checkState(record, issues);
  checkPresence(record, issues);
  checkTimes(record, issues);
}

function checkState(record: DeliveryRecord, issues: DomainIssue[]): void {
  const expected = DELIVERY_STATES[record.version - 1]!;
  if (record.state !== expected) {
    issues.push({ path: 'state', expected: `${expected} at version ${record.version}`, got: record.state });
  }
  if (record.version === 4 && record.previousCredentialId === null) {
    issues.push({ path: 'previousCredentialId', expected: 'a predecessor at version 4', got: 'null' });
  }
}

function checkPresence(record: DeliveryRecord, issues: DomainIssue[]): void {
  const since: Partial<Record<keyof DeliveryRecord, number>> = {
    publishedAtMs: 2,
    publicationDigest: 2,
    observedAtMs: 3,
    observedSessionId: 3,
    observedSessionVersion: 3,
    previousRevokedAtMs: 4,
  };
  for (const [field, version] of Object.entries(since)) {
    const present = record[field as keyof DeliveryRecord] !== null;
    if (present !== record.version >= version) {
      issues.push({
        path: field,
        expected: `${record.version >= version ? 'a value' : 'null'} at version ${record.version}`,
        got: present ? 'a value' : 'null',
      });
    }
  }
}

function checkTimes(record: DeliveryRecord, issues: DomainIssue[]): void {
  const chain = ['stagedAtMs', 'credentialCommittedAtMs', 'publishedAtMs', 'observedAtMs', 'previousRevokedAtMs'] as const;
  let latest = 0;
  for (const field of chain) {
    const at = record[field];
    if (at === null) continue;
    if (at < latest) issues.push({ path: field, expected: `a time not before ${latest}`, got: String(at) });
    latest = Math.max(latest, at);
  }
}
