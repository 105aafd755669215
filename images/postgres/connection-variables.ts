import type { VariableRow } from '../core/program-help.ts';

const optional = 'optional';

/** How a program is told of its database, below a prefix of its own. */
export const DATABASE_VARIABLES: readonly VariableRow[] = [
  { name: 'URL', meaning: '`postgresql://USER:PASSWORD@HOST[:PORT]/DATABASE` without parameters', need: 'this, or the next, or `HOST` and its companions' },
  { name: 'URL_FILE', meaning: 'a file that holds it', need: optional },
  { name: 'HOST', meaning: 'server', need: optional },
  { name: 'PORT', meaning: '', need: '`5432`' },
  { name: 'DATABASE', meaning: '', need: 'with `HOST`' },
  { name: 'USER', meaning: '', need: 'with `HOST`' },
  { name: 'PASSWORD', meaning: '', need: 'this or the next, with `HOST`' },
  { name: 'PASSWORD_FILE', meaning: 'a file that holds it', need: optional },
  { name: 'TLS_MODE', meaning: '`verify-full`, or `disable` together with `ALLOW_INSECURE`', need: '`verify-full`' },
  { name: 'ALLOW_INSECURE', meaning: '`true` permits `disable`', need: optional },
  { name: 'TLS_CA_FILE', meaning: 'PEM certificates of the server’s authority', need: 'with `verify-full`' },
  { name: 'TLS_SERVER_NAME', meaning: 'the name in the server’s certificate, when it is not the host (administration only)', need: optional },
  { name: 'APPLICATION_NAME', meaning: 'what the server shows', need: '`qinglong3-cluster-control`, `qinglong3-cluster-admin`' },
  { name: 'MAX_CONNECTIONS', meaning: '', need: '8 for Control, 2 for administration' },
  { name: 'CONNECTION_TIMEOUT_MS', meaning: '', need: '3000 for Control, 5000 for administration' },
];
