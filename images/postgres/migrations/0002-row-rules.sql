-- A changed row carries the next version. The arguments name the columns that may change besides it.
CREATE FUNCTION ql3.require_next_version() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changeable text[] := array_prepend('version'::text, TG_ARGV);
BEGIN
  IF NEW.version <> OLD.version + 1 THEN
    RAISE EXCEPTION 'a change of %.% carries version %, got %', TG_TABLE_SCHEMA, TG_TABLE_NAME, OLD.version + 1, NEW.version
      USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME,
        CONSTRAINT = TG_TABLE_NAME || '_next_version';
  END IF;
  IF (to_jsonb(NEW) - changeable) IS DISTINCT FROM (to_jsonb(OLD) - changeable) THEN
    RAISE EXCEPTION 'only % may change in %.%', array_to_string(changeable, ', '), TG_TABLE_SCHEMA, TG_TABLE_NAME
      USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME,
        CONSTRAINT = TG_TABLE_NAME || '_immutable_columns';
  END IF;
  RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION ql3.require_next_version() FROM PUBLIC;
