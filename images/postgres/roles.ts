import pg from 'pg';
import type { DatabaseClient } from './connection.ts';
import { GRANTEES, OWNER, ROLES, TABLES, grantedPrivileges, type RoleName } from './privileges.ts';
import { scramVerifier } from './scram-verifier.ts';

export { ROLES, type RoleName };

export type RolePasswords = Readonly<Record<RoleName, string>>;

const ATTRIBUTES = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS NOINHERIT';

/**
 * Creates the six roles or brings them back to what they must be, and opens the connected database to them alone.
 * The connection is a superuser's. Run it once per database, before the migrations.
 */
export async function prepareRoles(superuser: DatabaseClient, passwords: RolePasswords): Promise<void> {
  const existing = await superuser.query<{ rolname: string }>('SELECT rolname FROM pg_roles WHERE rolname = ANY($1)', [ROLES]);
  const names = new Set(existing.rows.map((row) => row.rolname));
  for (const role of ROLES) {
    const verb = names.has(role) ? 'ALTER' : 'CREATE';
    await superuser.query(
      `${verb} ROLE ${role} ${ATTRIBUTES} PASSWORD ${pg.escapeLiteral(scramVerifier(passwords[role]))}`,
    );
  }
  await openDatabaseToRoles(superuser);
}

/** Who may enter the connected database, and who may create in it. These rights do not travel with a template. */
export async function openDatabaseToRoles(superuser: DatabaseClient): Promise<void> {
  const { rows } = await superuser.query<{ name: string }>('SELECT current_database() AS name');
  const database = pg.escapeIdentifier(rows[0]!.name);
  await superuser.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
  await superuser.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
  await superuser.query(`GRANT CONNECT ON DATABASE ${database} TO ${ROLES.join(', ')}`);
  await superuser.query(`GRANT CREATE ON DATABASE ${database} TO ${OWNER}`);
}

/** Gives every role exactly its privileges on the schema, and takes away what else it had. Run as the owner, after the migrations. */
export async function grantPrivileges(owner: DatabaseClient): Promise<void> {
  const everyone = `PUBLIC, ${GRANTEES.join(', ')}`;
  const statements = [
    `REVOKE ALL ON SCHEMA ql3 FROM ${everyone}`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA ql3 FROM ${everyone}`,
    `REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ql3 FROM ${everyone}`,
    `GRANT USAGE ON SCHEMA ql3 TO ${GRANTEES.join(', ')}`,
    ...GRANTEES.flatMap((role) =>
      TABLES.flatMap((table) => {
        const privileges = grantedPrivileges(role, table);
        return privileges.length === 0 ? [] : [`GRANT ${privileges.join(', ')} ON ql3.${table} TO ${role}`];
      }),
    ),
  ];
  await owner.query(['BEGIN', ...statements, 'COMMIT'].join('; '));
}
