import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { Container } from '../../controllers/runtime/objects.ts';

export type Probe = NonNullable<Container['readinessProbe']>;

/** Null when the check passed, otherwise why it did not. */
export type CheckResult = string | null;

export interface CheckTarget {
  readonly podIp: string;
  readonly container: Container;
  /** Runs a command in the container; null when it exits 0. */
  exec(command: readonly string[], signal: AbortSignal): Promise<CheckResult>;
}

export async function check(action: Pick<Probe, 'httpGet' | 'exec' | 'tcpSocket'>, target: CheckTarget, signal: AbortSignal): Promise<CheckResult> {
  try {
    if (action.httpGet !== undefined) return await checkHttp(action.httpGet, target, signal);
    if (action.tcpSocket !== undefined) return await checkTcp(action.tcpSocket, target, signal);
    if (action.exec !== undefined) return await target.exec(action.exec.command ?? [], signal);
    return 'this node knows the probes httpGet, exec and tcpSocket, and this is none of them';
  } catch (error) {
    return signal.aborted ? 'timed out' : (error as Error).message;
  }
}

/** Any status from 200 to 399 is a success; certificates are not verified (Kubernetes: "HTTP probes"). */
async function checkHttp(action: NonNullable<Probe['httpGet']>, target: CheckTarget, signal: AbortSignal): Promise<CheckResult> {
  const headers = Object.fromEntries((action.httpHeaders ?? []).map(({ name, value }) => [name, value]));
  const options = {
    host: action.host ?? target.podIp,
    port: portNumber(action.port, target.container),
    path: action.path ?? '/',
    headers: { 'User-Agent': 'kube-probe/1.34', ...headers },
    agent: false,
    signal,
  };
  const isTls = action.scheme === 'HTTPS';
  const request = isTls ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options);
  request.end();
  const [response] = await once(request, 'response', { signal });
  response.resume();
  const status: number = response.statusCode;
  await once(response, 'close', { signal });
  return status >= 200 && status < 400 ? null : `HTTP probe failed with statuscode: ${status}`;
}

async function checkTcp(action: NonNullable<Probe['tcpSocket']>, target: CheckTarget, signal: AbortSignal): Promise<CheckResult> {
  const socket = connect({ host: action.host ?? target.podIp, port: portNumber(action.port, target.container) });
  try {
    await once(socket, 'connect', { signal });
    return null;
  } finally {
    socket.destroy();
  }
}

function portNumber(port: string | number, container: Container): number {
  if (typeof port === 'number') return port;
  const named = container.ports?.find((candidate) => candidate.name === port);
  if (named === undefined) throw new Error(`container ${container.name} has no port named ${port}`);
  return named.containerPort;
}
