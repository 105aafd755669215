import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A place where a Docker Engine may answer, and who named it. */
export interface DockerEndpoint {
  readonly origin: string;
  /** `unix:///path`, `tcp://host:port`, `http(s)://host:port`, or something that is not supported. */
  readonly host: string;
  /** Folder with ca.pem, cert.pem and key.pem, for TLS. */
  readonly certificates: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where to look for an Engine, as the docker command does: DOCKER_CONTEXT, then DOCKER_HOST, then the context in use.
 * Only when none of them names one are the usual sockets tried, those of rootless Docker and of Podman too.
 */
export function dockerEndpoints(environment: Environment = process.env, home: string = homedir()): readonly DockerEndpoint[] {
  const configuration = environment.DOCKER_CONFIG ?? join(home, '.docker');
  if (environment.DOCKER_CONTEXT && environment.DOCKER_CONTEXT !== 'default') return [contextEndpoint(configuration, environment.DOCKER_CONTEXT, 'DOCKER_CONTEXT')];
  if (environment.DOCKER_HOST) {
    const usesTls = environment.DOCKER_TLS_VERIFY !== undefined && environment.DOCKER_TLS_VERIFY !== '';
    return [{ origin: 'DOCKER_HOST', host: environment.DOCKER_HOST, certificates: usesTls ? (environment.DOCKER_CERT_PATH ?? configuration) : undefined }];
  }
  const current = readJson(join(configuration, 'config.json'))?.currentContext;
  if (typeof current === 'string' && current !== '' && current !== 'default') return [contextEndpoint(configuration, current, 'the current Docker context')];
  return usualSockets(environment, home);
}

export function usualSockets(environment: Environment, home: string): DockerEndpoint[] {
  const runtime = environment.XDG_RUNTIME_DIR;
  const socket = (origin: string, path: string): DockerEndpoint => ({ origin, host: `unix://${path}`, certificates: undefined });
  return [
    socket('the default socket', '/var/run/docker.sock'),
    ...(runtime ? [socket('rootless Docker', join(runtime, 'docker.sock'))] : []),
    socket('Docker Desktop', join(home, '.docker/run/docker.sock')),
    ...(runtime ? [socket('rootless Podman', join(runtime, 'podman/podman.sock'))] : []),
    socket('Podman', '/run/podman/podman.sock'),
  ];
}

/** The docker command keeps contexts in folders named by the SHA-256 of their names. */
function contextEndpoint(configuration: string, name: string, origin: string): DockerEndpoint {
  const folder = createHash('sha256').update(name).digest('hex');
  const meta = readJson(join(configuration, 'contexts/meta', folder, 'meta.json'));
  const host = (meta?.Endpoints as { docker?: { Host?: unknown } } | undefined)?.docker?.Host;
  return {
    origin: `${origin} "${name}"`,
    host: typeof host === 'string' ? host : '',
    certificates: typeof host === 'string' && !host.startsWith('unix:') ? join(configuration, 'contexts/tls', folder, 'docker') : undefined,
  };
}

function readJson(path: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
