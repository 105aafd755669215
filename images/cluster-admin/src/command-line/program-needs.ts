import { DATABASE_VARIABLES } from '../../../postgres/connection-variables.ts';
import { EXECUTOR_DATABASE_PREFIX, EXECUTOR_PREFIX } from './authority-environment.ts';
import { EXECUTOR_VARIABLES } from './variables.ts';

/** What every program's help says of files. */
export const FILES = 'Files are absolute paths of regular files. Those with secrets must not be readable by others (the group may), no file may be writable by others.';
export const NO_ROOT = 'No writable root, no shell, no particular user: with other files than its own it may run as their owner.';

/** Of executor and recovery. */
export const AUTHORITY_VARIABLES = [
  { prefix: EXECUTOR_PREFIX, rows: EXECUTOR_VARIABLES },
  { prefix: EXECUTOR_DATABASE_PREFIX, rows: DATABASE_VARIABLES },
];
export const AUTHORITY_NEEDS = [
  'A Pod of a cluster: the projected token, authority and namespace of its service account, and KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT.',
  'A PostgreSQL with the schema ql3, as the role ql3_worker_credential_executor.',
  FILES,
  NO_ROOT,
];
