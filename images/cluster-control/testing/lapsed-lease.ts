import type { Client } from 'pg';

/**
 * Makes a session an hour older, so that its lease has run out without anybody waiting for it. The table's own rules
 * forbid this change, therefore it is made as replication would make it, with triggers off.
 */
export async function lapseLease(client: Client, workerId: string): Promise<void> {
  await client.query('BEGIN');
  await client.query(`SET LOCAL session_replication_role = replica`);
  await client.query(
    `UPDATE ql3.worker_sessions SET registered_at_ms = registered_at_ms - 3600000, lease_expires_at_ms = lease_expires_at_ms - 3600000,
       last_heartbeat_at_ms = last_heartbeat_at_ms - 3600000, draining_at_ms = draining_at_ms - 3600000 WHERE worker_id = $1`,
    [workerId],
  );
  await client.query('COMMIT');
}
