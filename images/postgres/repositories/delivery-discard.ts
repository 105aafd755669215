import type { Transaction } from '../transaction.ts';
import type { DeliveryIntent } from '../../core/delivery.ts';
import { readStageDiscardRecord, type StageDiscardRecord } from '../../core/stage-discard.ts';

const COLUMNS = {
  deliveryId: 'delivery_id',
  workerId: 'worker_id',
  credentialId: 'credential_id',
  credentialVersion: 'credential_version',
  previousCredentialId: 'previous_credential_id',
  secretDigest: 'secret_digest',
  tokenDigest: 'token_digest',
  deploymentTargetDigest: 'deployment_target_digest',
  deploymentGeneration: 'deployment_generation',
  stagedAtMs: 'staged_at_ms',
  version: 'version',
  state: 'state',
  discardAuthorizedAtMs: 'discard_authorized_at_ms',
  discardedAtMs: 'discarded_at_ms',
} as const satisfies Record<keyof StageDiscardRecord, string>;

const FIELDS = Object.keys(COLUMNS) as (keyof StageDiscardRecord)[];
const COLUMN_LIST = FIELDS.map((field) => COLUMNS[field]).join(', ');

/** The tombstone of one staged token, in its latest version. */
export async function findStageDiscard(sql: Transaction, intent: Pick<DeliveryIntent, 'deliveryId' | 'tokenDigest'>): Promise<StageDiscardRecord | null> {
  const { rows } = await sql.query(
    `SELECT ${COLUMN_LIST} FROM ql3.worker_credential_stage_discards
     WHERE delivery_id = $1 AND token_digest = $2 ORDER BY version DESC LIMIT 1`,
    [intent.deliveryId, intent.tokenDigest],
  );
  const row: Record<string, unknown> | undefined = rows[0];
  return row === undefined ? null : readStageDiscardRecord(Object.fromEntries(FIELDS.map((field) => [field, row[COLUMNS[field]]])));
}

/** Appends the next row; the first one forbids for ever that this token is committed. */
export async function appendStageDiscard(sql: Transaction, record: StageDiscardRecord): Promise<void> {
  const parameters = FIELDS.map((_, index) => `$${index + 1}`).join(', ');
  await sql.query(
    `INSERT INTO ql3.worker_credential_stage_discards (${COLUMN_LIST}) VALUES (${parameters})`,
    FIELDS.map((field) => record[field]),
  );
}
