CREATE TABLE ql3.approved_action_dispatches (
  dispatch_id ql3.name NOT NULL,
  approval_request_id ql3.name NOT NULL,
  consumption_id ql3.name NOT NULL,
  action_type text COLLATE "C" NOT NULL,
  action_ref ql3.action_ref NOT NULL,
  action_digest ql3.digest NOT NULL,
  preview_digest ql3.digest NOT NULL,
  dispatched_by_id ql3.name NOT NULL,
  dispatched_at_ms ql3.instant_ms NOT NULL,
  CONSTRAINT approved_action_dispatches_pkey PRIMARY KEY (dispatch_id),
  CONSTRAINT approved_action_dispatches_request_key UNIQUE (approval_request_id),
  CONSTRAINT approved_action_dispatches_consumption_key UNIQUE (dispatch_id, consumption_id),
  CONSTRAINT approved_action_dispatches_action_key UNIQUE (dispatch_id, action_ref),
  CONSTRAINT approved_action_dispatches_request_fkey FOREIGN KEY
    (approval_request_id, consumption_id, dispatch_id, action_type, action_ref, action_digest, preview_digest)
    REFERENCES ql3.approval_requests
    (request_id, consumption_id, dispatch_id, action_type, action_ref, action_digest, preview_digest)
    DEFERRABLE INITIALLY DEFERRED
);

-- A consumed request has its dispatch, and a dispatch its execution, or the transaction does not commit.
ALTER TABLE ql3.approval_requests ADD CONSTRAINT approval_requests_dispatch_fkey FOREIGN KEY (dispatch_id, consumption_id)
  REFERENCES ql3.approved_action_dispatches (dispatch_id, consumption_id) DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE ql3.approved_action_executions (
  dispatch_id ql3.name NOT NULL,
  action_ref ql3.action_ref NOT NULL,
  version integer NOT NULL,
  state text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  lease_token ql3.name,
  lease_expires_at_ms ql3.instant_ms,
  created_at_ms ql3.instant_ms NOT NULL,
  claimed_at_ms ql3.instant_ms,
  started_at_ms ql3.instant_ms,
  retry_at_ms ql3.instant_ms,
  completed_at_ms ql3.instant_ms,
  result_code ql3.reason_code,
  result_digest ql3.digest,
  reason_code ql3.reason_code,
  CONSTRAINT approved_action_executions_pkey PRIMARY KEY (dispatch_id),
  CONSTRAINT approved_action_executions_dispatch_fkey FOREIGN KEY (dispatch_id, action_ref)
    REFERENCES ql3.approved_action_dispatches (dispatch_id, action_ref) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT approved_action_executions_lease_fkey FOREIGN KEY (dispatch_id, lease_token)
    REFERENCES ql3.approved_action_dispatches (dispatch_id, consumption_id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT approved_action_executions_version_positive CHECK (version >= 1 AND attempt >= 0),
  CONSTRAINT approved_action_executions_state CHECK (
    CASE state
      WHEN 'pending' THEN version = 1 AND attempt = 0
        AND num_nulls(lease_token, lease_expires_at_ms, claimed_at_ms, started_at_ms, retry_at_ms, completed_at_ms, result_code, result_digest, reason_code) = 9
      WHEN 'leased' THEN attempt >= 1
        AND num_nulls(lease_token, lease_expires_at_ms, claimed_at_ms) = 0
        AND num_nulls(started_at_ms, retry_at_ms, completed_at_ms, result_code, result_digest, reason_code) = 6
      WHEN 'executing' THEN attempt >= 1
        AND num_nulls(lease_token, lease_expires_at_ms, claimed_at_ms, started_at_ms) = 0
        AND num_nulls(retry_at_ms, completed_at_ms, result_code, result_digest, reason_code) = 5
      WHEN 'succeeded' THEN attempt >= 1
        AND num_nulls(claimed_at_ms, started_at_ms, completed_at_ms, result_code, result_digest) = 0
        AND num_nulls(lease_token, lease_expires_at_ms, retry_at_ms, reason_code) = 4
      WHEN 'failed' THEN attempt >= 1
        AND num_nulls(claimed_at_ms, completed_at_ms, reason_code) = 0
        AND num_nulls(lease_token, lease_expires_at_ms, retry_at_ms, result_code, result_digest) = 5
      WHEN 'blocked' THEN num_nulls(completed_at_ms, reason_code) = 0
        AND num_nulls(lease_token, lease_expires_at_ms, started_at_ms, retry_at_ms, result_code, result_digest) = 6
      WHEN 'retry_wait' THEN attempt >= 1
        AND num_nulls(claimed_at_ms, retry_at_ms, reason_code) = 0
        AND num_nulls(lease_token, lease_expires_at_ms, started_at_ms, completed_at_ms, result_code, result_digest) = 6
      ELSE false
    END),
  CONSTRAINT approved_action_executions_times CHECK (
    claimed_at_ms >= created_at_ms
    AND started_at_ms >= claimed_at_ms
    AND lease_expires_at_ms > coalesce(started_at_ms, claimed_at_ms)
    AND retry_at_ms >= claimed_at_ms
    AND completed_at_ms >= coalesce(started_at_ms, claimed_at_ms, created_at_ms))
);

CREATE INDEX approved_action_executions_unfinished ON ql3.approved_action_executions (state, lease_expires_at_ms)
  WHERE state IN ('leased', 'executing');

ALTER TABLE ql3.approved_action_dispatches ADD CONSTRAINT approved_action_dispatches_execution_fkey FOREIGN KEY (dispatch_id)
  REFERENCES ql3.approved_action_executions (dispatch_id) DEFERRABLE INITIALLY DEFERRED;

CREATE FUNCTION ql3.approved_action_executions_next() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  broken text;
BEGIN
  IF NEW.version <> OLD.version + 1 THEN
    broken := 'approved_action_executions_next_version';
  ELSIF (NEW.dispatch_id, NEW.action_ref, NEW.created_at_ms) IS DISTINCT FROM (OLD.dispatch_id, OLD.action_ref, OLD.created_at_ms)
    OR (OLD.started_at_ms IS NOT NULL
      AND (NEW.started_at_ms, NEW.claimed_at_ms, NEW.attempt) IS DISTINCT FROM (OLD.started_at_ms, OLD.claimed_at_ms, OLD.attempt)) THEN
    broken := 'approved_action_executions_immutable_columns';
  ELSIF NOT (CASE OLD.state
      WHEN 'pending' THEN NEW.state IN ('leased', 'blocked')
      WHEN 'retry_wait' THEN NEW.state = 'blocked' OR (NEW.state = 'leased' AND NEW.claimed_at_ms >= OLD.retry_at_ms)
      WHEN 'leased' THEN NEW.state IN ('executing', 'failed', 'blocked', 'retry_wait', 'leased')
      WHEN 'executing' THEN NEW.state IN ('executing', 'succeeded', 'failed')
      ELSE false
    END) THEN
    broken := 'approved_action_executions_transition';
  ELSIF NEW.attempt <> OLD.attempt + (NEW.state = 'leased')::integer THEN
    broken := 'approved_action_executions_attempt';
  ELSIF OLD.state = 'leased' AND NEW.state = 'leased' AND NEW.claimed_at_ms < OLD.lease_expires_at_ms THEN
    broken := 'approved_action_executions_lease_live';
  END IF;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'an execution that is % at version % may not become % at version %: %',
        OLD.state, OLD.version, NEW.state, NEW.version, broken
      USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, CONSTRAINT = broken;
  END IF;
  RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION ql3.approved_action_executions_next() FROM PUBLIC;

CREATE TRIGGER approved_action_executions_next BEFORE UPDATE ON ql3.approved_action_executions
  FOR EACH ROW EXECUTE FUNCTION ql3.approved_action_executions_next();

CREATE FUNCTION ql3.approved_action_executions_begin() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.state <> 'pending' THEN
    RAISE EXCEPTION 'an execution begins as pending, got %', NEW.state
      USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME,
        CONSTRAINT = 'approved_action_executions_begin';
  END IF;
  RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION ql3.approved_action_executions_begin() FROM PUBLIC;

CREATE TRIGGER approved_action_executions_begin BEFORE INSERT ON ql3.approved_action_executions
  FOR EACH ROW EXECUTE FUNCTION ql3.approved_action_executions_begin();
