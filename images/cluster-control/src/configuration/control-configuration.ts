import { isIP } from 'node:net';
import path from 'node:path';
import type { TrustFiles } from '../trust/trust-material.ts';
import { CONTROL_VARIABLES } from './control-variables.ts';
import { type Environment, EnvironmentReader } from './environment-reader.ts';
import type { Problem } from '../control-error.ts';

export const CONTROL_PREFIX = 'QL3_CLUSTER_CONTROL_';

export interface ListenerConfiguration {
  readonly host: string;
  readonly healthPort: number;
  readonly ingressPort: number;
}

export interface ControlSettings {
  readonly listeners: ListenerConfiguration;
  readonly trustFiles: TrustFiles;
  readonly pepperFile: string;
  /** Where the process leaves its pid for `control.mjs reload`; null leaves none. */
  readonly pidFile: string | null;
}

/** The control's own variables. Nothing is opened here; paths are only checked for being absolute. */
export function readControlSettings(environment: Environment): { settings: ControlSettings; problems: readonly Problem[] } {
  const reader = new EnvironmentReader(environment, CONTROL_PREFIX, CONTROL_VARIABLES);
  reader.oneOf('ENABLED', ['true'], null);
  const settings = {
    listeners: readListeners(reader),
    trustFiles: {
      certificate: requiredPath(reader, 'TLS_CERTIFICATE_FILE'),
      privateKey: requiredPath(reader, 'TLS_PRIVATE_KEY_FILE'),
      clientAuthorities: requiredPath(reader, 'CLIENT_CA_FILE'),
      clientRevocations: optionalPath(reader, 'CLIENT_CRL_FILE'),
    },
    pepperFile: requiredPath(reader, 'PEPPER_FILE'),
    pidFile: optionalPath(reader, 'PID_FILE'),
  };
  reader.refuseUnknown();
  return { settings, problems: reader.problems };
}

/** Port 0 lets the system choose; the chosen ports are in the event `listeners_open`. */
function readListeners(reader: EnvironmentReader): ListenerConfiguration {
  const host = reader.optional('LISTEN_HOST') ?? '0.0.0.0';
  if (isIP(host) === 0) reader.refuse('LISTEN_HOST', `expected an IP address, got ${JSON.stringify(host.slice(0, 64))}`);
  const healthPort = reader.integer('HEALTH_PORT', 5800, 0, 65_535);
  const ingressPort = reader.integer('INGRESS_PORT', 5801, 0, 65_535);
  if (healthPort === ingressPort && healthPort !== 0) reader.refuse('INGRESS_PORT', `expected another port than HEALTH_PORT (${healthPort})`);
  return { host, healthPort, ingressPort };
}

function requiredPath(reader: EnvironmentReader, name: string): string {
  const value = reader.required(name, 'the absolute path of a file');
  return value === '' ? value : checkedPath(reader, name, value);
}

function optionalPath(reader: EnvironmentReader, name: string): string | null {
  const value = reader.optional(name);
  return value === null ? null : checkedPath(reader, name, value);
}

function checkedPath(reader: EnvironmentReader, name: string, value: string): string {
  if (!path.isAbsolute(value)) reader.refuse(name, `expected an absolute path, got ${JSON.stringify(value.slice(0, 256))}`);
  return value;
}
