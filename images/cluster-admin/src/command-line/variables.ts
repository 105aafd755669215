import type { VariableRow } from '../../../core/program-help.ts';

const required = 'required';

/** What the programs read below their own prefixes; the help, the documentation and the parser hold to it. */
export const EXECUTOR_VARIABLES: readonly VariableRow[] = [
  { name: 'ENABLED', meaning: '`true`, or it does not start', need: required },
  { name: 'CLUSTER_IDENTITY', meaning: 'your name for the cluster; goes into the target digest', need: required },
  { name: 'STAGE_NAMESPACE', meaning: 'where tokens are staged', need: required },
  { name: 'TARGET_NAMESPACE', meaning: 'where the Worker lives', need: required },
  { name: 'TARGET_SECRET', meaning: 'the Secret that its Pod projects', need: required },
  { name: 'TARGET_DEPLOYMENT', meaning: 'its Deployment', need: required },
  { name: 'TARGET_DATA_KEY', meaning: 'the key in the Secret', need: '`credential-token`' },
  { name: 'DELIVERY_SERVICE_ACCOUNT', meaning: 'the account in the stage namespace that delivers', need: required },
  { name: 'IDENTITY_SECRET', meaning: 'the Secret that the delivery must not be able to read', need: required },
  { name: 'COMMAND_FILE', meaning: 'the approved command (executor only)', need: required },
  { name: 'PEPPER_FILE', meaning: 'the pepper (executor only)', need: required },
  { name: 'SERVICE_ACCOUNT_ROOT', meaning: 'the projected token, authority and namespace', need: '`/var/run/secrets/kubernetes.io/serviceaccount`' },
];

export const MANAGER_VARIABLES: readonly VariableRow[] = [
  { name: 'ENABLED', meaning: '`true`, or it does not start', need: required },
  { name: 'REQUEST_FILE', meaning: 'JSON: schemaVersion, principal, request; at most 16 KiB', need: required },
];

export const SETUP_VARIABLES: readonly VariableRow[] = [{ name: 'PASSWORDS_FILE', meaning: 'JSON: a password for each of the six roles (`roles` only)', need: required }];
