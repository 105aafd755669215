CREATE SCHEMA ql3;

-- Grammars of the domain. Bytewise collation: keyset pages and ranges mean the same on every server.
CREATE DOMAIN ql3.instant_ms AS bigint
  CONSTRAINT instant_ms_range CHECK (VALUE BETWEEN 0 AND 9007199254740991);
CREATE DOMAIN ql3.uuid_v4 AS uuid
  CONSTRAINT uuid_v4_version CHECK (VALUE::text ~ '^.{14}4.{4}[89ab]');
CREATE DOMAIN ql3.session_id AS uuid
  CONSTRAINT session_id_version CHECK (VALUE::text ~ '^.{14}7.{4}[89ab]');
CREATE DOMAIN ql3.digest AS text COLLATE "C"
  CONSTRAINT digest_grammar CHECK (VALUE ~ '^[0-9a-f]{64}$');
CREATE DOMAIN ql3.credential_id AS text COLLATE "C"
  CONSTRAINT credential_id_grammar CHECK (VALUE ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$');
CREATE DOMAIN ql3.name AS text COLLATE "C"
  CONSTRAINT name_grammar CHECK (VALUE ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$');
CREATE DOMAIN ql3.action_ref AS text COLLATE "C"
  CONSTRAINT action_ref_grammar CHECK (VALUE ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,254}$');
CREATE DOMAIN ql3.reason_code AS text COLLATE "C"
  CONSTRAINT reason_code_grammar CHECK (VALUE ~ '^[a-z][a-z0-9_]{0,63}$');
CREATE DOMAIN ql3.assurance AS text COLLATE "C"
  CONSTRAINT assurance_known CHECK (VALUE IN ('single_factor', 'multi_factor', 'hardware', 'local_console'));
CREATE DOMAIN ql3.strong_assurance AS text COLLATE "C"
  CONSTRAINT strong_assurance_known CHECK (VALUE IN ('multi_factor', 'hardware', 'local_console'));

REVOKE ALL ON TYPE ql3.instant_ms, ql3.uuid_v4, ql3.session_id, ql3.digest, ql3.credential_id, ql3.name,
  ql3.action_ref, ql3.reason_code, ql3.assurance, ql3.strong_assurance FROM PUBLIC;

CREATE TABLE ql3.schema_migrations (
  migration_id text COLLATE "C" NOT NULL,
  checksum ql3.digest NOT NULL,
  applied_at_ms ql3.instant_ms NOT NULL,
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (migration_id),
  CONSTRAINT schema_migrations_id_grammar CHECK (migration_id ~ '^[0-9]{4}-[a-z0-9-]{1,59}$')
);

CREATE TABLE ql3.schema_capabilities (
  capability text COLLATE "C" NOT NULL,
  contract_version integer NOT NULL,
  migration_id text COLLATE "C" NOT NULL,
  advanced_at_ms ql3.instant_ms NOT NULL,
  CONSTRAINT schema_capabilities_pkey PRIMARY KEY (capability),
  CONSTRAINT schema_capabilities_version_positive CHECK (contract_version >= 1),
  CONSTRAINT schema_capabilities_migration_fkey FOREIGN KEY (migration_id)
    REFERENCES ql3.schema_migrations (migration_id) DEFERRABLE INITIALLY DEFERRED
);
