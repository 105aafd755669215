import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  committedRecord,
  deliveryIntentOf,
  observedRecord,
  parseDeliveryRecord,
  previousRevokedRecord,
  publishedRecord,
  readDeliveryRecord,
  serialiseDeliveryRecord,
  type DeliveryRecord,
} from './delivery-record.ts';
import { digests, intents, reversedKeys, sessionIds } from './domain-arbitraries.ts';
import { DomainError } from './errors.ts';
import { authorizedDiscard, completedDiscard, readStageDiscardRecord } from './stage-discard.ts';

const isInvalidRecord = (error: unknown): boolean =>
  error instanceof DomainError && error.code === 'QL3_DELIVERY_RECORD_INVALID';

/** A delivery of a rotation, in its four states. */
const histories: fc.Arbitrary<readonly DeliveryRecord[]> = fc
  .tuple(intents, digests, sessionIds, fc.array(fc.nat(1_000), { minLength: 4, maxLength: 4 }))
  .map(([intent, publicationDigest, observedSessionId, steps]) => {
    const previousCredentialId = intent.previousCredentialId ?? `${intent.credentialId.slice(0, 60)}.old`;
    let at = intent.stagedAtMs;
    const next = (): number => (at += steps.pop()!);
    const committed = committedRecord({ ...intent, previousCredentialId }, next());
    const published = publishedRecord(committed, { publishedAtMs: next(), publicationDigest });
    const observed = observedRecord(published, { observedAtMs: next(), observedSessionId, observedSessionVersion: 0 });
    return [committed, published, observed, previousRevokedRecord(observed, next())];
  });

test('a delivery goes through its four versions, each a valid record that survives serialisation', () => {
  fc.assert(
    fc.property(histories, (records) => {
      assert.deepEqual(records.map(({ version, state }) => [version, state]), [
        [1, 'credential_committed'],
        [2, 'published'],
        [3, 'observed'],
        [4, 'previous_revoked'],
      ]);
      for (const record of records) {
        assert.deepEqual(parseDeliveryRecord(serialiseDeliveryRecord(reversedKeys(record))), record);
        assert.deepEqual(deliveryIntentOf(record), deliveryIntentOf(records[0]!));
      }
    }),
  );
});

test('a record whose version, state and fields do not belong together is refused', () => {
  fc.assert(
    fc.property(histories, fc.nat(3), fc.nat(3), (records, index, other) => {
      if (index === other) return;
      const [record, foreign] = [records[index]!, records[other]!];
      assert.throws(() => readDeliveryRecord({ ...record, version: foreign.version }), isInvalidRecord);
      assert.throws(() => readDeliveryRecord({ ...record, state: foreign.state }), isInvalidRecord);
      assert.throws(() => readDeliveryRecord({ ...foreign, version: record.version, state: record.state }), isInvalidRecord);
    }),
  );
});

test('times never decrease', () => {
  const chain = ['stagedAtMs', 'credentialCommittedAtMs', 'publishedAtMs', 'observedAtMs', 'previousRevokedAtMs'] as const;
  fc.assert(
    fc.property(histories, fc.integer({ min: 1, max: 4 }), (records, index) => {
      const last = records[3]!;
      const earlier = last[chain[index - 1]!]!;
      if (earlier === 0) return;
      assert.throws(() => readDeliveryRecord({ ...last, [chain[index]!]: earlier - 1 }), isInvalidRecord);
    }),
  );
});

test('no version is skipped, repeated or reached without a predecessor credential', () => {
  const [records] = fc.sample(histories, 1);
  const [committed, published, observed] = records as [DeliveryRecord, DeliveryRecord, DeliveryRecord];
  assert.throws(() => previousRevokedRecord(published, published.publishedAtMs!), isInvalidRecord);
  assert.throws(() => publishedRecord(published, { publishedAtMs: published.publishedAtMs!, publicationDigest: 'a'.repeat(64) }), isInvalidRecord);
  const issued = readDeliveryRecord({ ...observed, previousCredentialId: null });
  assert.throws(() => previousRevokedRecord(issued, issued.observedAtMs!), isInvalidRecord);
  assert.equal(committed.publishedAtMs, null);
});

test('a stage discard is authorised once and completed once, and not before its time', () => {
  fc.assert(
    fc.property(intents, fc.nat(), fc.nat(), (intent, at, later) => {
      const authorized = authorizedDiscard(intent, at);
      const completed = completedDiscard(authorized, at + later);
      assert.deepEqual([completed.version, completed.state, completed.discardedAtMs], [2, 'discarded', at + later]);
      assert.throws(() => readStageDiscardRecord({ ...authorized, discardedAtMs: at }), DomainError);
      assert.throws(() => readStageDiscardRecord({ ...completed, version: 1 }), DomainError);
      assert.throws(() => completedDiscard({ ...authorized, discardAuthorizedAtMs: at + 1 }, at), DomainError);
    }),
  );
});
