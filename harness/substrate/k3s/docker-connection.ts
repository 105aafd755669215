import Docker from 'dockerode';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { dockerEndpoints, type DockerEndpoint } from './docker-endpoint.ts';
import { SubstrateError } from './substrate-error.ts';

const ANSWER_WITHIN_MS = 5_000;

export interface DockerConnection {
  readonly docker: Docker;
  readonly endpoint: DockerEndpoint;
  readonly engineVersion: string;
  readonly apiVersion: string;
}

/** The first endpoint whose Engine answers. When none does, the error lists each attempt with its reason. */
export async function connectToDocker(endpoints: readonly DockerEndpoint[] = dockerEndpoints()): Promise<DockerConnection> {
  const attempts: string[] = [];
  for (const endpoint of endpoints) {
    try {
      return await connectTo(endpoint, ANSWER_WITHIN_MS);
    } catch (error) {
      attempts.push(`  ${endpoint.origin}, ${endpoint.host || 'no host'}: ${reasonOfSilence(error, endpoint)}`);
    }
  }
  throw new SubstrateError(
    'DOCKER_UNREACHABLE',
    `expected a Docker Engine, and none answers:\n${attempts.join('\n')}\nStart Docker, or name one with DOCKER_HOST. Without Docker, \`npx ql3-evidence rehearse\` runs the contract on this machine alone.`,
  );
}

/** The Engine at one endpoint, once it has answered. Podman is known by its answer, and is none. */
export async function connectTo(endpoint: DockerEndpoint, withinMs: number): Promise<DockerConnection> {
  const docker = clientFor(endpoint);
  const { Version, ApiVersion, Components } = await answerOf(docker, withinMs);
  if ((Components as typeof Components | undefined)?.some(({ Name }) => Name === 'Podman Engine')) throw new Error(`Podman ${Version} answers there: it speaks Docker's API, but not all of it that a run needs (it was tried with Podman 4.3); use Docker Engine`);
  return { docker, endpoint, engineVersion: Version, apiVersion: ApiVersion };
}

function clientFor({ host, certificates }: DockerEndpoint): Docker {
  if (host.startsWith('unix://')) return new Docker({ socketPath: host.slice('unix://'.length) });
  const url = URL.parse(host);
  if (url === null || !['tcp:', 'http:', 'https:'].includes(url.protocol)) throw new TypeError('only unix://, tcp:// and https:// hosts are supported');
  // The cluster's API is published on the Engine's own loopback address, for good reason; from elsewhere it is out of reach.
  if (!isLoopback(url.hostname)) throw new TypeError('an Engine on another machine cannot be used: the cluster is published on its loopback address only; forward its socket instead');
  const isTls = certificates !== undefined || url.protocol === 'https:';
  return new Docker({
    host: url.hostname,
    port: url.port === '' ? (isTls ? 2376 : 2375) : Number(url.port),
    protocol: isTls ? 'https' : 'http',
    ...(certificates === undefined ? {} : readCertificates(certificates)),
  });
}

function readCertificates(folder: string): { ca: Buffer; cert: Buffer; key: Buffer } {
  const pem = (name: string): Buffer => {
    try {
      return readFileSync(join(folder, name));
    } catch (error) {
      throw new Error(`${join(folder, name)} cannot be read (${(error as NodeJS.ErrnoException).code}): expected ca.pem, cert.pem and key.pem in the folder that DOCKER_CERT_PATH or the context names`, { cause: error });
    }
  };
  return { ca: pem('ca.pem'), cert: pem('cert.pem'), key: pem('key.pem') };
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}

/** The request is given up with the deadline: an open one would keep the process from ending. */
async function answerOf(docker: Docker, withinMs: number): Promise<Docker.DockerVersion> {
  const late = AbortSignal.timeout(withinMs);
  try {
    return await (docker as unknown as { version(options: { abortSignal: AbortSignal }): Promise<Docker.DockerVersion> }).version({ abortSignal: late });
  } catch (error) {
    if (late.aborted) throw new Error(`no answer within ${withinMs} ms`, { cause: error });
    throw error;
  }
}

/** What OpenSSL and Node say of a server whose certificate the CA in hand has not signed. */
const UNTRUSTED = new Set(['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_SIGNATURE_FAILURE']);

/** Why an endpoint gave no answer, for people. */
export function reasonOfSilence(error: unknown, { certificates }: Partial<DockerEndpoint> = {}): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such socket';
  if (code === 'EACCES') return 'permission denied: this user may not use the socket (is it in the group that owns it?)';
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (UNTRUSTED.has(code)) return `its certificate is not signed by the authority in ${certificates === undefined ? "the system's list" : join(certificates, 'ca.pem')} (${code})`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is for another name: ${message}`;
  if (/HTTP request to an HTTPS server/.test(message)) return 'it wants TLS: set DOCKER_TLS_VERIFY=1, and DOCKER_CERT_PATH to the folder with ca.pem, cert.pem and key.pem';
  if (code === 'EPROTO' || /alert|SSL routines/.test(message)) return `TLS failed: ${message.trim()}; does the Engine speak TLS there, and does it know the certificate in ${certificates ?? 'use'}?`;
  return message.trim();
}
