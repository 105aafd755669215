CREATE TABLE ql3.approval_requests (
  request_id ql3.name NOT NULL,
  version integer NOT NULL,
  state text COLLATE "C" NOT NULL,
  authority_project_id ql3.name NOT NULL,
  permission text COLLATE "C" NOT NULL,
  action_type text COLLATE "C" NOT NULL,
  action_ref ql3.action_ref NOT NULL,
  action_digest ql3.digest NOT NULL,
  preview_digest ql3.digest NOT NULL,
  plan_expires_at_ms ql3.instant_ms NOT NULL,
  risk text COLLATE "C" NOT NULL,
  separation_of_duty boolean NOT NULL,
  requested_by_id ql3.name NOT NULL,
  requested_authentication_id ql3.name NOT NULL,
  requested_assurance ql3.strong_assurance NOT NULL,
  requested_project_version integer NOT NULL,
  requested_binding_version integer NOT NULL,
  requested_audit_event_id ql3.uuid_v4 NOT NULL,
  requested_at_ms ql3.instant_ms NOT NULL,
  expires_at_ms ql3.instant_ms NOT NULL,
  decision_id ql3.name,
  decision text COLLATE "C",
  decision_reason_code ql3.reason_code,
  decided_by_id ql3.name,
  decided_authentication_id ql3.name,
  decided_assurance ql3.strong_assurance,
  decided_project_version integer,
  decided_binding_version integer,
  decided_audit_event_id ql3.uuid_v4,
  decided_at_ms ql3.instant_ms,
  consumption_id ql3.name,
  dispatch_id ql3.name,
  consumed_by_id ql3.name,
  consumed_authentication_id ql3.name,
  consumed_project_version integer,
  consumed_binding_version integer,
  consumed_audit_event_id ql3.uuid_v4,
  consumed_at_ms ql3.instant_ms,
  CONSTRAINT approval_requests_pkey PRIMARY KEY (request_id),
  CONSTRAINT approval_requests_action_key UNIQUE (action_ref),
  CONSTRAINT approval_requests_decision_key UNIQUE (decision_id),
  CONSTRAINT approval_requests_consumption_key UNIQUE (consumption_id),
  CONSTRAINT approval_requests_binding_key UNIQUE (request_id, consumption_id, dispatch_id, action_type, action_ref, action_digest, preview_digest),
  CONSTRAINT approval_requests_plan_fkey FOREIGN KEY
    (action_ref, action_digest, preview_digest, action_type, authority_project_id, requested_by_id, plan_expires_at_ms)
    REFERENCES ql3.worker_credential_management_plans
    (action_ref, plan_digest, preview_digest, action_type, authority_project_id, requested_by_id, expires_at_ms),
  CONSTRAINT approval_requests_requested_audit_fkey FOREIGN KEY (requested_audit_event_id)
    REFERENCES ql3.security_audit_events (event_id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT approval_requests_decided_audit_fkey FOREIGN KEY (decided_audit_event_id)
    REFERENCES ql3.security_audit_events (event_id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT approval_requests_consumed_audit_fkey FOREIGN KEY (consumed_audit_event_id)
    REFERENCES ql3.security_audit_events (event_id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT approval_requests_action CHECK (
    permission = 'worker.manage'
    AND action_type IN ('worker_credential.delivery.issue', 'worker_credential.delivery.rotate')),
  CONSTRAINT approval_requests_high_risk CHECK (risk = 'high' AND separation_of_duty),
  CONSTRAINT approval_requests_separation_of_duty CHECK (decided_by_id <> requested_by_id),
  CONSTRAINT approval_requests_fences CHECK (
    requested_project_version >= 1 AND requested_binding_version >= 1
    AND decided_project_version >= 1 AND decided_binding_version >= 1
    AND consumed_project_version >= 1 AND consumed_binding_version >= 1),
  CONSTRAINT approval_requests_state CHECK (
    CASE state
      WHEN 'pending' THEN version = 1 AND decision IS NULL AND consumption_id IS NULL
      WHEN 'approved' THEN version = 2 AND decision = 'approved' AND decision IS NOT NULL AND consumption_id IS NULL
      WHEN 'rejected' THEN version = 2 AND decision = 'rejected' AND decision IS NOT NULL AND consumption_id IS NULL
      WHEN 'consumed' THEN version = 3 AND decision = 'approved' AND decision IS NOT NULL AND consumption_id IS NOT NULL
      ELSE false
    END),
  CONSTRAINT approval_requests_decision CHECK (
    num_nulls(decision_id, decision, decision_reason_code, decided_by_id, decided_authentication_id, decided_assurance,
      decided_project_version, decided_binding_version, decided_audit_event_id, decided_at_ms) IN (0, 10)),
  CONSTRAINT approval_requests_consumption CHECK (
    num_nulls(consumption_id, dispatch_id, consumed_by_id, consumed_authentication_id, consumed_project_version,
      consumed_binding_version, consumed_audit_event_id, consumed_at_ms) IN (0, 8)),
  -- 15 minutes, and never past the plan
  CONSTRAINT approval_requests_life CHECK (
    expires_at_ms > requested_at_ms AND expires_at_ms - requested_at_ms <= 900000 AND expires_at_ms <= plan_expires_at_ms),
  CONSTRAINT approval_requests_times CHECK (
    decided_at_ms >= requested_at_ms AND decided_at_ms < expires_at_ms
    AND consumed_at_ms >= decided_at_ms AND consumed_at_ms < expires_at_ms)
);

CREATE FUNCTION ql3.approval_requests_next() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changeable text[] := '{version,state}';
  decided text[] := '{decision_id,decision,decision_reason_code,decided_by_id,decided_authentication_id,decided_assurance,decided_project_version,decided_binding_version,decided_audit_event_id,decided_at_ms}';
  consumed text[] := '{consumption_id,dispatch_id,consumed_by_id,consumed_authentication_id,consumed_project_version,consumed_binding_version,consumed_audit_event_id,consumed_at_ms}';
  broken text;
BEGIN
  changeable := changeable || CASE OLD.state WHEN 'pending' THEN decided WHEN 'approved' THEN consumed ELSE '{}' END;
  IF NEW.version <> OLD.version + 1 OR OLD.state NOT IN ('pending', 'approved') THEN
    broken := 'approval_requests_next_version';
  ELSIF (to_jsonb(NEW) - changeable) IS DISTINCT FROM (to_jsonb(OLD) - changeable) THEN
    broken := 'approval_requests_immutable_columns';
  END IF;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'a request that is % at version % may not become % at version %', OLD.state, OLD.version, NEW.state, NEW.version
      USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, CONSTRAINT = broken;
  END IF;
  RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION ql3.approval_requests_next() FROM PUBLIC;

CREATE TRIGGER approval_requests_next BEFORE UPDATE ON ql3.approval_requests
  FOR EACH ROW EXECUTE FUNCTION ql3.approval_requests_next();

CREATE FUNCTION ql3.approval_requests_begin() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.version <> 1 THEN
    RAISE EXCEPTION 'an approval request begins at version 1, got %', NEW.version
      USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME,
        CONSTRAINT = 'approval_requests_begin';
  END IF;
  RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION ql3.approval_requests_begin() FROM PUBLIC;

CREATE TRIGGER approval_requests_begin BEFORE INSERT ON ql3.approval_requests
  FOR EACH ROW EXECUTE FUNCTION ql3.approval_requests_begin();
