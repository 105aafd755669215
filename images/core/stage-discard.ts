import { deliveryIntentShape, requireAnotherPredecessor, type DeliveryIntent } from './delivery.ts';
import type { DomainIssue } from './errors.ts';
import { exactly, instantMs, literal, nullable, readAs } from './shape.ts';

/** One row of the ledger that permits removing a stage Secret which no delivery row knows. */
export interface StageDiscardRecord extends DeliveryIntent {
  readonly version: 1 | 2;
  readonly state: 'discard_authorized' | 'discarded';
  readonly discardAuthorizedAtMs: number;
  readonly discardedAtMs: number | null;
}

const discardRule = exactly<StageDiscardRecord>({
  ...deliveryIntentShape,
  version: literal(1, 2),
  state: literal('discard_authorized', 'discarded'),
  discardAuthorizedAtMs: instantMs,
  discardedAtMs: nullable(instantMs),
});

export function readStageDiscardRecord(value: unknown): StageDiscardRecord {
  return readAs('QL3_STAGE_DISCARD_INVALID', 'the stage discard record', discardRule, value, checkRow);
}

export function authorizedDiscard(intent: DeliveryIntent, discardAuthorizedAtMs: number): StageDiscardRecord {
  return readStageDiscardRecord({
    ...intent,
    version: 1,
    state: 'discard_authorized',
    discardAuthorizedAtMs,
    discardedAtMs: null,
  });
}

export function completedDiscard(record: StageDiscardRecord, discardedAtMs: number): StageDiscardRecord {
  return readStageDiscardRecord({ ...record, version: 2, state: 'discarded', discardedAtMs });
}

function checkRow(record: StageDiscardRecord, issues: DomainIssue[]): void {
  requireAnotherPredecessor(record, issues);
  const discarded = record.version === 2;
  if (discarded !== (record.state === 'discarded') || discarded !== (record.discardedAtMs !== null)) {
    issues.push({
      path: 'version',
      expected: '1 discard_authorized without, or 2 discarded with, discardedAtMs',
      got: `${record.version} ${record.state}`,
    });
  }
  if (record.discardedAtMs !== null && record.discardedAtMs < record.discardAuthorizedAtMs) {
    issues.push({
      path: 'discardedAtMs',
      expected: `a time not before ${record.discardAuthorizedAtMs}`,
      got: String(record.discardedAtMs),
    });
  }
}
