import type { Transaction } from '../transaction.ts';
import type { DeliveryRecord } from '../../core/delivery-record.ts';
import { readDeliveryRecord } from '../../core/delivery-record.ts';
import { isUuidV4 } from '../../core/identifiers.ts';

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
  credentialCommittedAtMs: 'credential_committed_at_ms',
  publishedAtMs: 'published_at_ms',
  publicationDigest: 'publication_digest',
  observedAtMs: 'observed_at_ms',
  observedSessionId: 'observed_session_id',
  observedSessionVersion: 'observed_session_version',
  previousRevokedAtMs: 'previous_revoked_at_ms',
} as const satisfies Record<keyof DeliveryRecord, string>;

const FIELDS = Object.keys(COLUMNS) as (keyof DeliveryRecord)[];
const COLUMN_LIST = FIELDS.map((field) => COLUMNS[field]).join(', ');

/** The latest version of a delivery, null when no fact about it was ever committed. */
export async function findDelivery(sql: Transaction, deliveryId: string): Promise<DeliveryRecord | null> {
  const { rows } = await sql.query(
    `SELECT ${COLUMN_LIST} FROM ql3.worker_credential_deliveries WHERE delivery_id = $1 ORDER BY version DESC LIMIT 1`,
    [deliveryId],
  );
  return rows[0] === undefined ? null : toRecord(rows[0]);
}

/** Appends the next row; the database refuses one that does not follow its predecessor. */
export async function appendDelivery(sql: Transaction, record: DeliveryRecord): Promise<void> {
  const parameters = FIELDS.map((_, index) => `$${index + 1}`).join(', ');
  await sql.query(
    `INSERT INTO ql3.worker_credential_deliveries (${COLUMN_LIST}) VALUES (${parameters})`,
    FIELDS.map((field) => record[field]),
  );
}

/** Ids of deliveries for this target whose ledger is not at its end, in ascending order after the given one. */
export async function listUnfinishedDeliveries(
  sql: Transaction,
  deploymentTargetDigest: string,
  afterDeliveryId: string | null,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql.query<{ delivery_id: string }>(
    `SELECT delivery_id FROM ql3.worker_credential_deliveries AS latest
     WHERE deployment_target_digest = $1 AND ($2::uuid IS NULL OR delivery_id > $2::uuid)
       AND (version < 3 OR (version = 3 AND previous_credential_id IS NOT NULL))
       AND NOT EXISTS (SELECT FROM ql3.worker_credential_deliveries AS later
         WHERE later.delivery_id = latest.delivery_id AND later.version > latest.version)
     ORDER BY delivery_id LIMIT $3`,
    [deploymentTargetDigest, isUuidV4(afterDeliveryId) ? afterDeliveryId : null, limit],
  );
  return rows.map((row) => row.delivery_id);
}

/** Whether a later delivery that names this credential as its predecessor has been published: then no Pod is started with it any more. */
export async function isDeliverySuperseded(sql: Transaction, credentialId: string): Promise<boolean> {
  const { rows } = await sql.query<{ superseded: boolean }>(
    `SELECT EXISTS (SELECT FROM ql3.worker_credential_deliveries WHERE previous_credential_id = $1 AND version >= 2) AS superseded`,
    [credentialId],
  );
  return rows[0]?.superseded === true;
}

function toRecord(row: Record<string, unknown>): DeliveryRecord {
  return readDeliveryRecord(Object.fromEntries(FIELDS.map((field) => [field, row[COLUMNS[field]]])));
}
