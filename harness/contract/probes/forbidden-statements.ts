import pg from 'pg';
import { DATABASE_ROLES } from '../../../evidence/identities.ts';
import type { ContractContext } from '../context.ts';
import { recordProbe } from './record-probe.ts';

/** One statement for each role that its grants do not allow. Only the owner may delete rows; the owner may not make roles. */
const FORBIDDEN: Readonly<Record<keyof typeof DATABASE_ROLES, string>> = {
  migration: 'CREATE ROLE ql3_probe',
  manager: 'DELETE FROM ql3.security_audit_events',
  executor: 'DELETE FROM ql3.worker_credentials',
  ingress: "UPDATE ql3.worker_credentials SET version = 1 WHERE credential_id = 'none'",
  admin: 'DELETE FROM ql3.security_audit_events',
  runtime: 'SELECT credential_id FROM ql3.worker_credentials',
};

export async function probeForbiddenStatements(context: ContractContext): Promise<void> {
  for (const [connection, role] of Object.entries(DATABASE_ROLES)) {
    const statement = FORBIDDEN[connection as keyof typeof DATABASE_ROLES];
    await recordProbe(context, 'database-forbidden-statement', `${role}: ${statement}`, async () => {
      const sqlState = await sqlStateOf(context, role, statement);
      return { outcome: sqlState === '42501' ? 'refused' : 'answered', facts: { role, statement, sqlState } };
    });
  }
}

/** The SQLSTATE of the statement, `00000` when it was carried out. Runs in a transaction that is rolled back in any case. */
async function sqlStateOf(context: ContractContext, role: (typeof DATABASE_ROLES)[keyof typeof DATABASE_ROLES], statement: string): Promise<string> {
  const client = await context.database.connect(role);
  try {
    await client.query('BEGIN');
    await client.query(statement);
    return '00000';
  } catch (error) {
    return error instanceof pg.DatabaseError && error.code !== undefined ? error.code : 'unknown';
  } finally {
    await client.end();
  }
}
