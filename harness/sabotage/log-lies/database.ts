import type { ObservationBodies } from '../../../evidence/observation.ts';
import { logged } from '../log-cast.ts';
import { alter, drop } from '../log-edit.ts';
import type { LogLie } from '../log-lie.ts';

const ROLES = ['gates.managerExecutorDatabaseRolesSeparated'] as const;
const VERSION = [...ROLES, 'postgresql.contractVersion'] as const;

function ofDatabase(name: string, pretends: string, change: Partial<ObservationBodies['platform.database']>, caughtBy: LogLie['caughtBy'] = ROLES): LogLie {
  return { name, pretends, caughtBy, tell: ({ observations }) => ({ log: alter('platform.database', () => true, (body) => ({ ...body, ...change }))(observations) }) };
}

/** About which PostgreSQL it was, and who spoke with it. */
export const DATABASE_LIES: readonly LogLie[] = [
  ofDatabase('database-without-tls', 'PostgreSQL was reached over TLS; it was not', { tls: false }),
  ofDatabase('database-of-two-versions', 'one PostgreSQL; its version is told in two ways', { serverVersion: '17.2' }),
  ofDatabase('database-of-another-major', 'the PostgreSQL that Cluster Control found; it found another', { serverVersion: '17.2', serverVersionNum: 170_002 }, VERSION),
  ofDatabase('database-of-another-contract', 'the schema that Cluster Control found; it found another', { contractVersion: 11 }, VERSION),
  ofDatabase('database-with-foreign-migrations', 'migrated as the product ships it; by one migration of another origin', { migrationIds: ['0001-backdoor'] }, VERSION),
  { name: 'control-found-another-schema', pretends: 'Cluster Control listened on this schema; it found another', caughtBy: VERSION, tell: ({ observations }) => ({ log: alter('ingress.line', logged('listening'), (body) => ({ ...body, line: { ...body.line, contractVersion: 9 } }))(observations) }) },
  { name: 'role-never-asked', pretends: 'each connection was asked who it is; the administrator’s was not', caughtBy: ROLES, tell: ({ observations }) => ({ log: drop('database.current-user', ({ connection }) => connection === 'admin')(observations) }) },
];
