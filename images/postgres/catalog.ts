import type { DatabaseClient } from './connection.ts';

/** The schema as the server's catalogs describe it, in words that do not depend on object ids. */
export interface SchemaDescription {
  readonly tables: Readonly<Record<string, TableDescription>>;
  readonly functions: Readonly<Record<string, string>>;
  readonly domains: Readonly<Record<string, string>>;
  /** Triggers that do not fire as they should, those of foreign keys included. */
  readonly disabledTriggers: readonly string[];
}

export interface TableDescription {
  readonly kind: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly constraints: Readonly<Record<string, string>>;
  readonly indexes: Readonly<Record<string, string>>;
  readonly triggers: Readonly<Record<string, string>>;
}

// Since PostgreSQL 18 NOT NULL is a constraint with a name; before, it is an attribute of the column. Columns tell it in both.
const DESCRIBE = `
WITH ql3 AS (SELECT oid FROM pg_namespace WHERE nspname = 'ql3'),
relations AS (
  SELECT c.* FROM pg_class c JOIN ql3 ON c.relnamespace = ql3.oid WHERE c.relkind NOT IN ('i', 'I', 'c', 't')
)
SELECT jsonb_build_object(
  'tables', (SELECT coalesce(jsonb_object_agg(r.relname, jsonb_build_object(
      'kind', concat_ws(' ', r.relkind, 'of', pg_get_userbyid(r.relowner),
        CASE WHEN r.relpersistence <> 'p' THEN 'not permanent' END,
        CASE WHEN r.relrowsecurity OR r.relforcerowsecurity THEN 'row security' END,
        CASE WHEN r.relhasrules THEN 'rules' END),
      'columns', (SELECT coalesce(jsonb_object_agg(a.attname, concat_ws(' ',
          format_type(a.atttypid, a.atttypmod),
          CASE WHEN l.collname <> 'default' THEN 'collate ' || l.collname END,
          CASE WHEN a.attnotnull THEN 'not null' END,
          CASE WHEN a.attgenerated <> '' THEN 'generated' WHEN d.oid IS NOT NULL THEN 'default' END,
          pg_get_expr(d.adbin, d.adrelid))), '{}')
        FROM pg_attribute a
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        LEFT JOIN pg_collation l ON l.oid = a.attcollation
        WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped),
      'constraints', (SELECT coalesce(jsonb_object_agg(k.conname, pg_get_constraintdef(k.oid)), '{}')
        FROM pg_constraint k WHERE k.conrelid = r.oid AND k.contype IN ('c', 'f', 'p', 'u', 'x')),
      'indexes', (SELECT coalesce(jsonb_object_agg(x.relname, pg_get_indexdef(i.indexrelid)
          || CASE WHEN i.indisvalid THEN '' ELSE ' invalid' END), '{}')
        FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid WHERE i.indrelid = r.oid),
      'triggers', (SELECT coalesce(jsonb_object_agg(t.tgname, pg_get_triggerdef(t.oid)), '{}')
        FROM pg_trigger t WHERE t.tgrelid = r.oid AND NOT t.tgisinternal))), '{}')
    FROM relations r),
  'functions', (SELECT coalesce(jsonb_object_agg(p.oid::regprocedure::text, concat_ws(' ',
      p.prokind, 'of', pg_get_userbyid(p.proowner), 'returns', pg_get_function_result(p.oid), l.lanname, p.provolatile,
      CASE WHEN p.prosecdef THEN 'security definer' END, array_to_string(p.proconfig, ' '),
      'sha256', encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex'))), '{}')
    FROM pg_proc p JOIN ql3 ON p.pronamespace = ql3.oid JOIN pg_language l ON l.oid = p.prolang),
  'domains', (SELECT coalesce(jsonb_object_agg(t.typname, concat_ws(' ',
      t.typtype, 'of', pg_get_userbyid(t.typowner), format_type(t.typbasetype, t.typtypmod),
      CASE WHEN l.collname <> 'default' THEN 'collate ' || l.collname END,
      (SELECT string_agg(k.conname || ' ' || pg_get_constraintdef(k.oid), ' ' ORDER BY k.conname)
        FROM pg_constraint k WHERE k.contypid = t.oid AND k.contype = 'c'))), '{}')
    FROM pg_type t JOIN ql3 ON t.typnamespace = ql3.oid LEFT JOIN pg_collation l ON l.oid = t.typcollation
    WHERE t.typtype NOT IN ('b', 'c')),
  'disabledTriggers', (SELECT coalesce(jsonb_agg(r.relname || '.' || t.tgname ORDER BY r.relname, t.tgname), '[]')
    FROM pg_trigger t JOIN relations r ON r.oid = t.tgrelid WHERE t.tgenabled <> 'O')
) AS description`;

export async function describeSchema(client: Pick<DatabaseClient, 'query'>): Promise<SchemaDescription> {
  const { rows } = await client.query<{ description: SchemaDescription }>(DESCRIBE);
  return rows[0]!.description;
}
