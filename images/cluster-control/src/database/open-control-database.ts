import { type Database, openDatabase } from '../../../postgres/connection.ts';
import { requireReadiness } from '../../../postgres/readiness.ts';
import { appendSecurityAudit } from '../../../postgres/repositories/security-audit.ts';
import { WorkerCredentialLookup } from '../../../postgres/repositories/worker-credential-lookup.ts';
import { WorkerSessionRepository } from '../../../postgres/repositories/worker-session-repository.ts';
import type { DatabaseConfiguration } from '../configuration/database-configuration.ts';
import type { ControlDatabase } from './control-database.ts';
import type { DatabaseProbe } from './database-readiness.ts';

const ROLE = 'ql3_worker_ingress';
/** Long enough for a connection to be returned, short enough for a grace period. */
const CLOSE_TIMEOUT_MS = 2_000;

export function openControlDatabase(configuration: DatabaseConfiguration): ControlDatabase {
  const database = openDatabase(configuration);
  return {
    probe: createProbe(database),
    credentials: new WorkerCredentialLookup(database),
    sessions: new WorkerSessionRepository(database),
    appendAudit: (event) => appendSecurityAudit(database, event),
    close: () => closeWithin(database, CLOSE_TIMEOUT_MS),
  };
}

function createProbe(database: Database): DatabaseProbe {
  return {
    async complete() {
      const { currentUser, serverMajor, contractVersion } = await requireReadiness(database, ROLE);
      return { databaseUser: currentUser, serverMajor, contractVersion };
    },
    async brief() {
      const { rows } = await database.query<{ standby: boolean; readOnly: boolean }>(
        `SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only')::boolean AS "readOnly"`,
      );
      if (rows[0]?.standby !== false || rows[0].readOnly) throw new Error('expected a primary that takes writes');
    },
  };
}

/** A query that never ends must not hold up the end of the process. */
async function closeWithin(database: Database, timeoutMs: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, timeoutMs);
  await Promise.race([database.end(), late.promise]);
  clearTimeout(timer);
}
