CREATE TABLE ql3.security_audit_events (
  event_id ql3.uuid_v4 NOT NULL,
  occurred_at_ms ql3.instant_ms NOT NULL,
  action text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  subject_type text COLLATE "C" NOT NULL,
  subject_id ql3.name,
  authentication_id ql3.name,
  assurance ql3.assurance,
  project_id ql3.name,
  resource_type text COLLATE "C",
  resource_id text COLLATE "C",
  reason_code ql3.reason_code,
  details jsonb NOT NULL DEFAULT '{}',
  CONSTRAINT security_audit_events_pkey PRIMARY KEY (event_id),
  CONSTRAINT security_audit_events_action_grammar CHECK (action ~ '^[a-z][a-z0-9_]*([.][a-z][a-z0-9_]*)+$' AND length(action) <= 64),
  CONSTRAINT security_audit_events_outcome_known CHECK (outcome IN ('allowed', 'denied', 'approval_required', 'succeeded', 'failed')),
  CONSTRAINT security_audit_events_subject CHECK (
    CASE subject_type
      WHEN 'anonymous' THEN subject_id IS NULL AND authentication_id IS NULL
      WHEN 'user' THEN subject_id IS NOT NULL
      WHEN 'system' THEN subject_id IS NOT NULL
      WHEN 'worker' THEN subject_id IS NOT NULL
      ELSE false
    END),
  CONSTRAINT security_audit_events_assurance_of_users CHECK (assurance IS NULL OR subject_type = 'user'),
  CONSTRAINT security_audit_events_resource CHECK (
    (resource_type IS NULL) = (resource_id IS NULL)
    AND (resource_type IS NULL OR resource_type ~ '^[a-z][a-z0-9_.]{0,63}$')
    AND (resource_id IS NULL OR length(resource_id) BETWEEN 1 AND 255)),
  CONSTRAINT security_audit_events_reason CHECK (outcome NOT IN ('denied', 'failed') OR reason_code IS NOT NULL),
  CONSTRAINT security_audit_events_details CHECK (jsonb_typeof(details) = 'object' AND octet_length(details::text) <= 4096)
);

CREATE INDEX security_audit_events_by_time ON ql3.security_audit_events (occurred_at_ms);
CREATE INDEX security_audit_events_by_resource ON ql3.security_audit_events (resource_type, resource_id)
  WHERE resource_id IS NOT NULL;
