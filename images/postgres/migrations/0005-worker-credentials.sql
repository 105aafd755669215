CREATE TABLE ql3.worker_credentials (
  credential_id ql3.credential_id NOT NULL,
  worker_id ql3.name NOT NULL,
  version integer NOT NULL,
  state text COLLATE "C" NOT NULL,
  secret_digest ql3.digest NOT NULL,
  not_before_at_ms ql3.instant_ms NOT NULL,
  expires_at_ms ql3.instant_ms NOT NULL,
  issued_at_ms ql3.instant_ms NOT NULL,
  revoked_at_ms ql3.instant_ms,
  CONSTRAINT worker_credentials_pkey PRIMARY KEY (credential_id),
  CONSTRAINT worker_credentials_worker_key UNIQUE (credential_id, worker_id),
  CONSTRAINT worker_credentials_secret_key UNIQUE (credential_id, worker_id, secret_digest),
  CONSTRAINT worker_credentials_state CHECK (
    (version = 1 AND state = 'active' AND revoked_at_ms IS NULL)
    OR (version = 2 AND state = 'revoked' AND revoked_at_ms IS NOT NULL)),
  CONSTRAINT worker_credentials_times CHECK (revoked_at_ms >= issued_at_ms),
  -- 730 days
  CONSTRAINT worker_credentials_lifetime CHECK (
    expires_at_ms > not_before_at_ms AND expires_at_ms - not_before_at_ms <= 63072000000 AND expires_at_ms > issued_at_ms)
);

CREATE INDEX worker_credentials_by_worker ON ql3.worker_credentials (worker_id, credential_id);

CREATE TRIGGER worker_credentials_next_version BEFORE UPDATE ON ql3.worker_credentials
  FOR EACH ROW EXECUTE FUNCTION ql3.require_next_version('state', 'revoked_at_ms');

CREATE TABLE ql3.worker_credential_mutations (
  mutation_id ql3.uuid_v4 NOT NULL,
  credential_id ql3.credential_id NOT NULL,
  credential_version integer NOT NULL,
  operation text COLLATE "C" NOT NULL,
  worker_id ql3.name NOT NULL,
  delivery_id ql3.uuid_v4,
  subject_type text COLLATE "C" NOT NULL,
  subject_id ql3.name NOT NULL,
  authentication_id ql3.name NOT NULL,
  audit_event_id ql3.uuid_v4 NOT NULL,
  mutated_at_ms ql3.instant_ms NOT NULL,
  CONSTRAINT worker_credential_mutations_pkey PRIMARY KEY (mutation_id),
  CONSTRAINT worker_credential_mutations_credential_key UNIQUE (credential_id, credential_version),
  CONSTRAINT worker_credential_mutations_audit_key UNIQUE (audit_event_id),
  CONSTRAINT worker_credential_mutations_operation CHECK (
    (credential_version = 1 AND operation = 'issue' AND delivery_id IS NOT NULL)
    OR (credential_version = 2 AND operation = 'revoke')),
  CONSTRAINT worker_credential_mutations_subject_type_known CHECK (subject_type IN ('user', 'system')),
  CONSTRAINT worker_credential_mutations_credential_fkey FOREIGN KEY (credential_id, worker_id)
    REFERENCES ql3.worker_credentials (credential_id, worker_id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT worker_credential_mutations_audit_fkey FOREIGN KEY (audit_event_id)
    REFERENCES ql3.security_audit_events (event_id) DEFERRABLE INITIALLY DEFERRED
);

-- No credential comes into being or is revoked without the mutation that says who did it.
ALTER TABLE ql3.worker_credentials ADD CONSTRAINT worker_credentials_mutation_fkey FOREIGN KEY (credential_id, version)
  REFERENCES ql3.worker_credential_mutations (credential_id, credential_version) DEFERRABLE INITIALLY DEFERRED;
