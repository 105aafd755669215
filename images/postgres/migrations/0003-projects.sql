CREATE TABLE ql3.projects (
  project_id ql3.name NOT NULL,
  version integer NOT NULL,
  state text COLLATE "C" NOT NULL,
  created_at_ms ql3.instant_ms NOT NULL,
  updated_at_ms ql3.instant_ms NOT NULL,
  CONSTRAINT projects_pkey PRIMARY KEY (project_id),
  CONSTRAINT projects_version_positive CHECK (version >= 1),
  CONSTRAINT projects_state_known CHECK (state IN ('active', 'archived')),
  CONSTRAINT projects_times CHECK (updated_at_ms >= created_at_ms)
);

CREATE TRIGGER projects_next_version BEFORE UPDATE ON ql3.projects
  FOR EACH ROW EXECUTE FUNCTION ql3.require_next_version('state', 'updated_at_ms');

CREATE TABLE ql3.project_role_bindings (
  project_id ql3.name NOT NULL,
  subject_type text COLLATE "C" NOT NULL,
  subject_id ql3.name NOT NULL,
  version integer NOT NULL,
  role text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  bound_at_ms ql3.instant_ms NOT NULL,
  CONSTRAINT project_role_bindings_pkey PRIMARY KEY (project_id, subject_type, subject_id, version),
  CONSTRAINT project_role_bindings_project_fkey FOREIGN KEY (project_id) REFERENCES ql3.projects (project_id),
  CONSTRAINT project_role_bindings_version_positive CHECK (version >= 1),
  CONSTRAINT project_role_bindings_subject_type_known CHECK (subject_type IN ('user', 'system')),
  CONSTRAINT project_role_bindings_role_known CHECK (role IN ('owner', 'operator', 'approver', 'viewer')),
  CONSTRAINT project_role_bindings_state CHECK (state = 'active' OR (state = 'revoked' AND version > 1))
);

CREATE FUNCTION ql3.project_role_bindings_append() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  latest ql3.project_role_bindings;
BEGIN
  SELECT * INTO latest FROM ql3.project_role_bindings
    WHERE project_id = NEW.project_id AND subject_type = NEW.subject_type AND subject_id = NEW.subject_id
    ORDER BY version DESC LIMIT 1;
  IF NEW.version <> coalesce(latest.version, 0) + 1 OR NEW.bound_at_ms < latest.bound_at_ms THEN
    RAISE EXCEPTION 'the next binding of this subject has version % and is not older than its predecessor', coalesce(latest.version, 0) + 1
      USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME,
        CONSTRAINT = 'project_role_bindings_append';
  END IF;
  RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION ql3.project_role_bindings_append() FROM PUBLIC;

CREATE TRIGGER project_role_bindings_append BEFORE INSERT ON ql3.project_role_bindings
  FOR EACH ROW EXECUTE FUNCTION ql3.project_role_bindings_append();
