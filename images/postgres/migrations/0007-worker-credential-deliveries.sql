CREATE TABLE ql3.worker_credential_deliveries (
  delivery_id ql3.uuid_v4 NOT NULL,
  version integer NOT NULL,
  state text COLLATE "C" NOT NULL,
  worker_id ql3.name NOT NULL,
  credential_id ql3.credential_id NOT NULL,
  credential_version integer NOT NULL,
  previous_credential_id ql3.credential_id,
  secret_digest ql3.digest NOT NULL,
  token_digest ql3.digest NOT NULL,
  deployment_target_digest ql3.digest NOT NULL,
  deployment_generation ql3.name NOT NULL,
  staged_at_ms ql3.instant_ms NOT NULL,
  credential_committed_at_ms ql3.instant_ms NOT NULL,
  published_at_ms ql3.instant_ms,
  publication_digest ql3.digest,
  observed_at_ms ql3.instant_ms,
  observed_session_id ql3.session_id,
  observed_session_version bigint,
  previous_revoked_at_ms ql3.instant_ms,
  CONSTRAINT worker_credential_deliveries_pkey PRIMARY KEY (delivery_id, version),
  CONSTRAINT worker_credential_deliveries_credential_version CHECK (credential_version = 1),
  CONSTRAINT worker_credential_deliveries_predecessor CHECK (previous_credential_id <> credential_id),
  CONSTRAINT worker_credential_deliveries_state CHECK (
    CASE version
      WHEN 1 THEN state = 'credential_committed'
        AND num_nulls(published_at_ms, publication_digest, observed_at_ms, observed_session_id, observed_session_version, previous_revoked_at_ms) = 6
      WHEN 2 THEN state = 'published'
        AND num_nulls(published_at_ms, publication_digest) = 0
        AND num_nulls(observed_at_ms, observed_session_id, observed_session_version, previous_revoked_at_ms) = 4
      WHEN 3 THEN state = 'observed'
        AND num_nulls(published_at_ms, publication_digest, observed_at_ms, observed_session_id, observed_session_version) = 0
        AND previous_revoked_at_ms IS NULL
      WHEN 4 THEN state = 'previous_revoked'
        AND num_nulls(published_at_ms, publication_digest, observed_at_ms, observed_session_id, observed_session_version, previous_revoked_at_ms, previous_credential_id) = 0
      ELSE false
    END),
  CONSTRAINT worker_credential_deliveries_times CHECK (
    credential_committed_at_ms >= staged_at_ms
    AND published_at_ms >= credential_committed_at_ms
    AND observed_at_ms >= published_at_ms
    AND previous_revoked_at_ms >= observed_at_ms),
  CONSTRAINT worker_credential_deliveries_session_version CHECK (observed_session_version BETWEEN 0 AND 9007199254740991),
  CONSTRAINT worker_credential_deliveries_credential_fkey FOREIGN KEY (credential_id, worker_id, secret_digest)
    REFERENCES ql3.worker_credentials (credential_id, worker_id, secret_digest),
  CONSTRAINT worker_credential_deliveries_previous_fkey FOREIGN KEY (previous_credential_id, worker_id)
    REFERENCES ql3.worker_credentials (credential_id, worker_id),
  CONSTRAINT worker_credential_deliveries_session_fkey FOREIGN KEY (worker_id, observed_session_id, observed_session_version)
    REFERENCES ql3.worker_session_history (worker_id, session_id, version) DEFERRABLE INITIALLY DEFERRED
);

CREATE UNIQUE INDEX worker_credential_deliveries_one_per_credential
  ON ql3.worker_credential_deliveries (credential_id, version);
CREATE UNIQUE INDEX worker_credential_deliveries_one_per_token
  ON ql3.worker_credential_deliveries (token_digest) WHERE version = 1;

CREATE TABLE ql3.worker_credential_stage_discards (
  delivery_id ql3.uuid_v4 NOT NULL,
  token_digest ql3.digest NOT NULL,
  version integer NOT NULL,
  state text COLLATE "C" NOT NULL,
  worker_id ql3.name NOT NULL,
  credential_id ql3.credential_id NOT NULL,
  credential_version integer NOT NULL,
  previous_credential_id ql3.credential_id,
  secret_digest ql3.digest NOT NULL,
  deployment_target_digest ql3.digest NOT NULL,
  deployment_generation ql3.name NOT NULL,
  staged_at_ms ql3.instant_ms NOT NULL,
  discard_authorized_at_ms ql3.instant_ms NOT NULL,
  discarded_at_ms ql3.instant_ms,
  CONSTRAINT worker_credential_stage_discards_pkey PRIMARY KEY (delivery_id, token_digest, version),
  CONSTRAINT worker_credential_stage_discards_credential_version CHECK (credential_version = 1),
  CONSTRAINT worker_credential_stage_discards_predecessor CHECK (previous_credential_id <> credential_id),
  CONSTRAINT worker_credential_stage_discards_state CHECK (
    (version = 1 AND state = 'discard_authorized' AND discarded_at_ms IS NULL)
    OR (version = 2 AND state = 'discarded' AND discarded_at_ms IS NOT NULL)),
  CONSTRAINT worker_credential_stage_discards_times CHECK (discarded_at_ms >= discard_authorized_at_ms)
);

-- A delivery row repeats its predecessor and adds one state; the first one is refused where its stage was given up.
CREATE FUNCTION ql3.worker_credential_deliveries_append() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  latest ql3.worker_credential_deliveries;
  added text[] := (ARRAY[
    '{}',
    '{version,state,published_at_ms,publication_digest}',
    '{version,state,observed_at_ms,observed_session_id,observed_session_version}',
    '{version,state,previous_revoked_at_ms}'])[NEW.version]::text[];
  broken text;
BEGIN
  IF NEW.version = 1 THEN
    IF EXISTS (SELECT FROM ql3.worker_credential_stage_discards
        WHERE delivery_id = NEW.delivery_id AND token_digest = NEW.token_digest) THEN
      broken := 'worker_credential_deliveries_tombstone';
    END IF;
  ELSE
    SELECT * INTO latest FROM ql3.worker_credential_deliveries
      WHERE delivery_id = NEW.delivery_id ORDER BY version DESC LIMIT 1;
    IF latest.version IS DISTINCT FROM NEW.version - 1
      OR (to_jsonb(latest) - added) IS DISTINCT FROM (to_jsonb(NEW) - added) THEN
      broken := 'worker_credential_deliveries_append';
    ELSIF NEW.version = 4 AND NOT EXISTS (SELECT FROM ql3.worker_credentials
        WHERE credential_id = NEW.previous_credential_id AND state = 'revoked') THEN
      broken := 'worker_credential_deliveries_previous_revoked';
    END IF;
  END IF;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'version % of delivery % may not be appended: %', NEW.version, NEW.delivery_id, broken
      USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, CONSTRAINT = broken;
  END IF;
  RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION ql3.worker_credential_deliveries_append() FROM PUBLIC;

CREATE TRIGGER worker_credential_deliveries_append BEFORE INSERT ON ql3.worker_credential_deliveries
  FOR EACH ROW EXECUTE FUNCTION ql3.worker_credential_deliveries_append();

CREATE FUNCTION ql3.worker_credential_stage_discards_append() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  latest ql3.worker_credential_stage_discards;
  added text[] := '{version,state,discarded_at_ms}';
  broken text;
BEGIN
  IF EXISTS (SELECT FROM ql3.worker_credential_deliveries WHERE delivery_id = NEW.delivery_id) AND NEW.version = 1 THEN
    broken := 'worker_credential_stage_discards_unknown_delivery';
  ELSIF NEW.version = 2 THEN
    SELECT * INTO latest FROM ql3.worker_credential_stage_discards
      WHERE delivery_id = NEW.delivery_id AND token_digest = NEW.token_digest AND version = 1;
    IF latest.version IS NULL OR (to_jsonb(latest) - added) IS DISTINCT FROM (to_jsonb(NEW) - added) THEN
      broken := 'worker_credential_stage_discards_append';
    END IF;
  END IF;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'version % of the discard of stage % may not be appended: %', NEW.version, NEW.delivery_id, broken
      USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, CONSTRAINT = broken;
  END IF;
  RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION ql3.worker_credential_stage_discards_append() FROM PUBLIC;

CREATE TRIGGER worker_credential_stage_discards_append BEFORE INSERT ON ql3.worker_credential_stage_discards
  FOR EACH ROW EXECUTE FUNCTION ql3.worker_credential_stage_discards_append();
