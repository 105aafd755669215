import type { VariableRow } from '../../../core/program-help.ts';

const required = 'required';
const optional = 'optional';

/** Everything that the control reads below its own prefix; the help, the documentation and the parser hold to it. */
export const CONTROL_VARIABLES: readonly VariableRow[] = [
  { name: 'ENABLED', meaning: '`true`, or it does not start', need: required },
  { name: 'LISTEN_HOST', meaning: 'the address of both listeners', need: '`0.0.0.0`' },
  { name: 'HEALTH_PORT', meaning: 'plain HTTP: `/livez`, `/readyz`', need: '`5800`' },
  { name: 'INGRESS_PORT', meaning: 'the worker ingress over mutual TLS', need: '`5801`' },
  { name: 'TLS_CERTIFICATE_FILE', meaning: 'PEM chain of the ingress', need: required },
  { name: 'TLS_PRIVATE_KEY_FILE', meaning: 'its key', need: required },
  { name: 'CLIENT_CA_FILE', meaning: '1 to 16 authorities of client certificates', need: required },
  { name: 'CLIENT_CRL_FILE', meaning: 'one current CRL for each authority', need: optional },
  { name: 'PEPPER_FILE', meaning: 'the pepper, 43 characters of base64url', need: required },
  { name: 'PID_FILE', meaning: 'where `reload` finds the process', need: optional },
];
