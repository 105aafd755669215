CREATE TABLE ql3.worker_session_history (
  worker_id ql3.name NOT NULL,
  version bigint NOT NULL,
  session_id ql3.session_id NOT NULL,
  generation bigint NOT NULL,
  status text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  replaced_session_id ql3.session_id,
  available_slots integer NOT NULL,
  lease_expires_at_ms ql3.instant_ms NOT NULL,
  credential_id ql3.credential_id NOT NULL,
  client_certificate_sha256 ql3.digest NOT NULL,
  client_certificate_serial text COLLATE "C" NOT NULL,
  recorded_at_ms ql3.instant_ms NOT NULL,
  CONSTRAINT worker_session_history_pkey PRIMARY KEY (worker_id, version),
  CONSTRAINT worker_session_history_session_key UNIQUE (worker_id, session_id, version),
  CONSTRAINT worker_session_history_state_key UNIQUE (worker_id, version, session_id, generation, status),
  CONSTRAINT worker_session_history_credential_fkey FOREIGN KEY (credential_id, worker_id)
    REFERENCES ql3.worker_credentials (credential_id, worker_id),
  CONSTRAINT worker_session_history_version_range CHECK (version BETWEEN 0 AND 9007199254740991),
  CONSTRAINT worker_session_history_generation_range CHECK (generation BETWEEN 1 AND 9007199254740991 AND (version > 0 OR generation = 1)),
  CONSTRAINT worker_session_history_reason CHECK (
    CASE reason
      WHEN 'registered' THEN status = 'online'
      WHEN 'reregistered' THEN status IN ('online', 'draining')
      WHEN 'heartbeat' THEN status IN ('online', 'draining')
      WHEN 'draining' THEN status = 'draining'
      WHEN 'offline' THEN status = 'offline'
      ELSE false
    END),
  CONSTRAINT worker_session_history_replaced CHECK (
    (replaced_session_id IS NOT NULL) = (reason = 'registered' AND generation > 1)
    AND replaced_session_id IS DISTINCT FROM session_id),
  CONSTRAINT worker_session_history_slots CHECK (available_slots >= 0 AND (status = 'online' OR available_slots = 0)),
  CONSTRAINT worker_session_history_lease CHECK (
    CASE WHEN status = 'offline' THEN lease_expires_at_ms <= recorded_at_ms ELSE lease_expires_at_ms > recorded_at_ms END),
  CONSTRAINT worker_session_history_serial_grammar CHECK (client_certificate_serial ~ '^[0-9A-Fa-f]{1,64}$')
);

CREATE FUNCTION ql3.worker_session_history_append() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  latest ql3.worker_session_history;
  follows boolean;
BEGIN
  SELECT * INTO latest FROM ql3.worker_session_history WHERE worker_id = NEW.worker_id ORDER BY version DESC LIMIT 1;
  IF latest.version IS NULL THEN
    follows := NEW.version = 0 AND NEW.reason = 'registered';
  ELSIF NEW.reason = 'registered' THEN
    follows := NEW.generation = latest.generation + 1
      AND NEW.replaced_session_id = latest.session_id
      AND NOT EXISTS (SELECT FROM ql3.worker_session_history WHERE worker_id = NEW.worker_id AND session_id = NEW.session_id);
  ELSE
    follows := NEW.generation = latest.generation AND NEW.session_id = latest.session_id AND (
      (latest.status = 'online')
      OR (latest.status = 'draining' AND NEW.status IN ('draining', 'offline') AND NEW.reason <> 'draining'));
  END IF;
  IF NOT follows OR NEW.version <> coalesce(latest.version, -1) + 1 OR NEW.recorded_at_ms < latest.recorded_at_ms THEN
    RAISE EXCEPTION 'version % (%) does not follow version % (%) of this worker''s sessions',
        NEW.version, NEW.reason, latest.version, latest.status
      USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME,
        CONSTRAINT = 'worker_session_history_append';
  END IF;
  RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION ql3.worker_session_history_append() FROM PUBLIC;

CREATE TRIGGER worker_session_history_append BEFORE INSERT ON ql3.worker_session_history
  FOR EACH ROW EXECUTE FUNCTION ql3.worker_session_history_append();

CREATE TABLE ql3.worker_sessions (
  worker_id ql3.name NOT NULL,
  session_id ql3.session_id NOT NULL,
  generation bigint NOT NULL,
  version bigint NOT NULL,
  status text COLLATE "C" NOT NULL,
  capabilities_json text NOT NULL,
  capabilities_hash ql3.digest NOT NULL,
  max_concurrent_runs integer NOT NULL,
  available_slots integer NOT NULL,
  lease_duration_ms integer NOT NULL,
  lease_expires_at_ms ql3.instant_ms NOT NULL,
  registered_at_ms ql3.instant_ms NOT NULL,
  last_heartbeat_at_ms ql3.instant_ms,
  draining_at_ms ql3.instant_ms,
  offline_at_ms ql3.instant_ms,
  CONSTRAINT worker_sessions_pkey PRIMARY KEY (worker_id),
  CONSTRAINT worker_sessions_session_key UNIQUE (session_id),
  CONSTRAINT worker_sessions_capabilities CHECK (
    octet_length(capabilities_json) <= 16384
    AND capabilities_hash = encode(sha256(convert_to(capabilities_json, 'UTF8')), 'hex')),
  CONSTRAINT worker_sessions_slots CHECK (
    max_concurrent_runs BETWEEN 1 AND 1024 AND available_slots BETWEEN 0 AND max_concurrent_runs
    AND (status = 'online' OR available_slots = 0)),
  CONSTRAINT worker_sessions_lease_duration CHECK (lease_duration_ms BETWEEN 5000 AND 600000),
  CONSTRAINT worker_sessions_state CHECK (
    CASE status
      WHEN 'online' THEN draining_at_ms IS NULL AND offline_at_ms IS NULL
      WHEN 'draining' THEN draining_at_ms IS NOT NULL AND offline_at_ms IS NULL
      WHEN 'offline' THEN offline_at_ms IS NOT NULL AND lease_expires_at_ms <= offline_at_ms
      ELSE false
    END),
  CONSTRAINT worker_sessions_times CHECK (
    lease_expires_at_ms >= registered_at_ms
    AND last_heartbeat_at_ms >= registered_at_ms
    AND draining_at_ms >= registered_at_ms
    AND offline_at_ms >= coalesce(draining_at_ms, registered_at_ms)),
  -- Whatever the current row says, the history says it too.
  CONSTRAINT worker_sessions_history_fkey FOREIGN KEY (worker_id, version, session_id, generation, status)
    REFERENCES ql3.worker_session_history (worker_id, version, session_id, generation, status)
    DEFERRABLE INITIALLY DEFERRED
);

CREATE FUNCTION ql3.worker_sessions_next() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  broken text;
BEGIN
  IF NEW.worker_id <> OLD.worker_id OR NEW.version <> OLD.version + 1 THEN
    broken := 'worker_sessions_next_version';
  ELSIF NEW.session_id <> OLD.session_id THEN
    IF NEW.generation <> OLD.generation + 1 OR NEW.status <> 'online' OR NEW.registered_at_ms < OLD.registered_at_ms
      OR NEW.last_heartbeat_at_ms IS NOT NULL THEN
      broken := 'worker_sessions_replacement';
    END IF;
  ELSIF NEW.generation <> OLD.generation
    OR (NEW.capabilities_json, NEW.capabilities_hash, NEW.max_concurrent_runs, NEW.registered_at_ms)
      IS DISTINCT FROM (OLD.capabilities_json, OLD.capabilities_hash, OLD.max_concurrent_runs, OLD.registered_at_ms)
    OR (OLD.draining_at_ms IS NOT NULL AND NEW.draining_at_ms IS DISTINCT FROM OLD.draining_at_ms) THEN
    broken := 'worker_sessions_immutable_columns';
  ELSIF OLD.status = 'offline' OR (OLD.status = 'draining' AND NEW.status = 'online')
    OR NEW.last_heartbeat_at_ms < OLD.last_heartbeat_at_ms
    OR (NEW.last_heartbeat_at_ms IS NULL AND OLD.last_heartbeat_at_ms IS NOT NULL) THEN
    broken := 'worker_sessions_transition';
  END IF;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'version % (%) may not follow version % (%) of this worker''s session', NEW.version, NEW.status, OLD.version, OLD.status
      USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, CONSTRAINT = broken;
  END IF;
  RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION ql3.worker_sessions_next() FROM PUBLIC;

CREATE TRIGGER worker_sessions_next BEFORE UPDATE ON ql3.worker_sessions
  FOR EACH ROW EXECUTE FUNCTION ql3.worker_sessions_next();
