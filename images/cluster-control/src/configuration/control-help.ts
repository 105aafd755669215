import { programHelp } from '../../../core/program-help.ts';
import { DATABASE_VARIABLES } from '../../../postgres/connection-variables.ts';
import { CONTROL_PREFIX } from './control-configuration.ts';
import { CONTROL_VARIABLES } from './control-variables.ts';
import { DATABASE_PREFIX } from './database-configuration.ts';

const SUMMARY = `Usage: control
       control reload

The worker ingress of the Cluster Control: health over plain HTTP, the Workers' sessions over mutual TLS. JSON lines on stdout,
process_failed on stderr. SIGTERM or SIGINT drains, SIGHUP reads the trust material again. Exit 0 drained, 1 failed, 64 configuration.
reload: beside a running control, tells it to read its trust material again.`;

/** Control takes the server's name from its address. */
const NOT_READ = ['TLS_SERVER_NAME'];

export function controlHelp(): string {
  return programHelp({
    summary: SUMMARY,
    variables: [
      { prefix: CONTROL_PREFIX, rows: CONTROL_VARIABLES },
      { prefix: DATABASE_PREFIX, rows: DATABASE_VARIABLES.filter(({ name }) => !NOT_READ.includes(name)) },
    ],
    needs: [
      'A PostgreSQL with the schema ql3, as the role ql3_worker_ingress.',
      'Files are absolute paths of regular files of at most 1 MiB; keys, pepper, password and URL must not be writable by group or others.',
      'Both ports published. No writable root, no shell, no particular user.',
    ],
  });
}
