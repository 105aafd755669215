import type { DatabaseClient } from './connection.ts';
import { OWNER, grantedPrivileges, type GranteeName, type RoleName, type TableName } from './privileges.ts';
import { differences, type ReadinessProblem } from './readiness-problem.ts';

type Rights = Readonly<Record<string, readonly string[]>>;

interface Privileges {
  /** What the role may do with a whole table, with at least one column of it, and pass on to others. */
  readonly tables: Rights;
  readonly columns: Rights;
  readonly grantable: Rights;
  readonly functions: readonly string[];
  readonly types: readonly string[];
  readonly schemas: Rights;
  readonly database: readonly string[];
  /** Rights and ownership elsewhere, and the roles whose rights this role can take on. */
  readonly elsewhere: readonly string[];
  readonly memberships: readonly string[];
}

// has_…_privilege counts what comes from PUBLIC and from membership too. What the role could reach with SET ROLE is in
// `memberships`, and what was granted to it outside the schema in `elsewhere`, from the server's own record of dependencies.
const READ_PRIVILEGES = `
WITH tables AS (
  SELECT c.oid, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'ql3' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
), rights AS (
  SELECT unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']
    || CASE WHEN current_setting('server_version_num')::integer >= 170000 THEN ARRAY['MAINTAIN'] ELSE '{}' END) AS name
), held AS (
  SELECT t.relname, r.name,
    has_table_privilege(t.oid, r.name) AS whole,
    has_table_privilege(t.oid, r.name || ' WITH GRANT OPTION') AS grantable,
    CASE WHEN r.name IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') THEN has_any_column_privilege(t.oid, r.name)
      ELSE has_table_privilege(t.oid, r.name) END AS partly,
    CASE WHEN r.name IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
      THEN has_any_column_privilege(t.oid, r.name || ' WITH GRANT OPTION') ELSE false END AS partly_grantable
  FROM tables t CROSS JOIN rights r
), per_table AS (
  SELECT relname,
    coalesce(jsonb_agg(name ORDER BY name) FILTER (WHERE whole), '[]') AS whole,
    coalesce(jsonb_agg(name ORDER BY name) FILTER (WHERE partly), '[]') AS partly,
    coalesce(jsonb_agg(name ORDER BY name) FILTER (WHERE grantable OR partly_grantable), '[]') AS grantable
  FROM held GROUP BY relname
), me AS (SELECT oid FROM pg_roles WHERE rolname = current_user)
SELECT jsonb_build_object(
  'tables', (SELECT jsonb_object_agg(relname, whole) FROM per_table),
  'columns', (SELECT jsonb_object_agg(relname, partly) FROM per_table),
  'grantable', (SELECT jsonb_object_agg(relname, grantable) FROM per_table),
  'functions', (SELECT coalesce(jsonb_agg(p.oid::regprocedure::text ORDER BY p.oid::regprocedure::text), '[]')
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'ql3' AND has_function_privilege(p.oid, 'EXECUTE')),
  'types', (SELECT coalesce(jsonb_agg(t.typname ORDER BY t.typname), '[]')
    FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
    WHERE n.nspname = 'ql3' AND t.typtype NOT IN ('b', 'c') AND has_type_privilege(t.oid, 'USAGE')),
  'schemas', (SELECT coalesce(jsonb_object_agg(n.nspname, n.rights), '{}') FROM (
      SELECT nspname, array_remove(ARRAY[
        CASE WHEN has_schema_privilege(oid, 'USAGE') THEN 'USAGE' END,
        CASE WHEN has_schema_privilege(oid, 'CREATE') THEN 'CREATE' END], NULL) AS rights
      FROM pg_namespace WHERE nspname !~ '^(pg_toast|pg_temp|pg_catalog$|information_schema$)') n
    WHERE n.rights <> '{}'),
  'database', (SELECT coalesce(jsonb_agg(r.name ORDER BY r.name), '[]') FROM unnest(ARRAY['CONNECT', 'CREATE', 'TEMPORARY']) AS r (name)
    WHERE has_database_privilege(current_database(), r.name)),
  'elsewhere', (SELECT coalesce(jsonb_agg(DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid)), '[]')
    FROM pg_shdepend d JOIN me ON d.refobjid = me.oid
    WHERE d.refclassid = 'pg_authid'::regclass
      AND d.dbid IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
      AND d.classid <> 'pg_database'::regclass
      AND NOT (d.classid = 'pg_class'::regclass AND d.objid IN (SELECT oid FROM tables))
      AND NOT (d.classid = 'pg_namespace'::regclass AND d.objid = to_regnamespace('ql3')::oid)),
  'memberships', (SELECT coalesce(jsonb_agg(DISTINCT pg_get_userbyid(m.roleid)), '[]')
    FROM pg_auth_members m JOIN me ON m.member = me.oid)
) AS privileges`;

const OWNER_RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'];

export async function privilegeProblems(
  client: Pick<DatabaseClient, 'query'>,
  role: RoleName,
  tables: readonly string[],
): Promise<readonly ReadinessProblem[]> {
  const { rows } = await client.query<{ privileges: Privileges }>(READ_PRIVILEGES);
  const got = rows[0]!.privileges;
  return differences('privilege', ...(role === OWNER ? ownerComparison(got, tables) : granteeComparison(got, role, tables)));
}

type Comparison = [expected: Partial<Privileges>, got: Partial<Privileges>];

function granteeComparison(got: Privileges, role: GranteeName, tables: readonly string[]): Comparison {
  const rights = toRights(tables, (table) => grantedPrivileges(role, table as TableName));
  return [
    {
      tables: rights,
      columns: rights,
      grantable: toRights(tables, () => []),
      functions: [],
      types: [],
      schemas: { ql3: ['USAGE'] },
      database: ['CONNECT'],
      elsewhere: [],
      memberships: [],
    },
    got,
  ];
}

// An owner may grant what it owns, and its ownership of everything in the schema is part of the schema's description.
function ownerComparison(got: Privileges, tables: readonly string[]): Comparison {
  const { tables: held, schemas, database, memberships } = got;
  const withoutMaintain = Object.fromEntries(
    Object.entries(held).map(([table, rights]) => [table, rights.filter((right) => right !== 'MAINTAIN')]),
  );
  return [
    {
      tables: toRights(tables, () => OWNER_RIGHTS),
      schemas: { ql3: ['USAGE', 'CREATE'] },
      database: ['CONNECT', 'CREATE'],
      memberships: [],
    },
    { tables: withoutMaintain, schemas, database, memberships },
  ];
}

function toRights(tables: readonly string[], rightsOf: (table: string) => readonly string[]): Rights {
  return Object.fromEntries(tables.map((table) => [table, rightsOf(table).toSorted()]));
}
