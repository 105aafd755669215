CREATE TABLE ql3.worker_credential_management_plans (
  action_ref ql3.action_ref NOT NULL,
  authority_project_id ql3.name NOT NULL,
  action text COLLATE "C" NOT NULL,
  action_type text COLLATE "C" GENERATED ALWAYS AS ('worker_credential.delivery.' || action) STORED,
  delivery_id ql3.uuid_v4 NOT NULL,
  worker_id ql3.name NOT NULL,
  credential_id ql3.credential_id NOT NULL,
  previous_credential_id ql3.credential_id,
  credential_not_before_at_ms ql3.instant_ms NOT NULL,
  credential_expires_at_ms ql3.instant_ms NOT NULL,
  deployment_target_digest ql3.digest NOT NULL,
  deployment_generation ql3.name NOT NULL,
  requested_by_id ql3.name NOT NULL,
  planned_at_ms ql3.instant_ms NOT NULL,
  expires_at_ms ql3.instant_ms NOT NULL,
  plan_digest ql3.digest NOT NULL,
  preview_digest ql3.digest NOT NULL,
  CONSTRAINT worker_credential_management_plans_pkey PRIMARY KEY (action_ref),
  CONSTRAINT worker_credential_management_plans_plan_digest_key UNIQUE (plan_digest),
  CONSTRAINT worker_credential_management_plans_delivery_key UNIQUE (delivery_id),
  -- What an approval request must repeat word for word.
  CONSTRAINT worker_credential_management_plans_binding_key
    UNIQUE (action_ref, plan_digest, preview_digest, action_type, authority_project_id, requested_by_id, expires_at_ms),
  CONSTRAINT worker_credential_management_plans_project_fkey FOREIGN KEY (authority_project_id) REFERENCES ql3.projects (project_id),
  CONSTRAINT worker_credential_management_plans_action CHECK (
    (action = 'issue' AND previous_credential_id IS NULL)
    OR (action = 'rotate' AND previous_credential_id IS NOT NULL AND previous_credential_id <> credential_id)),
  -- 15 minutes
  CONSTRAINT worker_credential_management_plans_life CHECK (expires_at_ms > planned_at_ms AND expires_at_ms - planned_at_ms <= 900000),
  -- 730 days
  CONSTRAINT worker_credential_management_plans_credential_life CHECK (
    credential_expires_at_ms > credential_not_before_at_ms
    AND credential_expires_at_ms - credential_not_before_at_ms <= 63072000000)
);
