import type { KubeConfig } from '@kubernetes/client-node';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import type { Readable } from 'node:stream';
import { HarnessError } from '../run/errors.ts';
import { delayBeforeRetryMs, pause, REQUEST_TIMEOUT_MS as TIMEOUT_MS } from './patience.ts';

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** One for each of the client's own, which end every connection with its request: a handshake takes longer than an answer. */
const KEEPING = new WeakMap<Agent, Agent>();

function keeping(own: Agent): Agent {
  const agent = KEEPING.get(own) ?? new Agent({ ...own.options, keepAlive: true });
  KEEPING.set(own, agent);
  return agent;
}

/**
 * Opens one request without a body; the answer's body is the caller's to read or destroy. A connection that is used again may have been
 * closed by the server just then: only for what may be repeated.
 */
async function open(config: KubeConfig, method: 'GET' | 'DELETE', path: string, signal: AbortSignal | undefined, { mayReuse }: { readonly mayReuse: boolean }): Promise<IncomingMessage> {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new TypeError('expected a kubeconfig with a current cluster');
  const options: RequestOptions = { method, headers: { accept: 'application/json' }, timeout: TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) };
  await config.applyToHTTPSOptions(options);
  if (mayReuse && options.agent instanceof Agent) options.agent = keeping(options.agent);
  const outgoing = request(new URL(path, server), options);
  let isAnswered = false;
  outgoing.on('timeout', () => {
    if (!isAnswered) outgoing.destroy(new HarnessError('QL3_CLUSTER_ANSWER', `expected an answer to ${method} ${path} within ${TIMEOUT_MS} ms, got none`));
  });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  isAnswered = true; // a followed log may be silent for as long as it likes
  return response;
}

/** One request without a body whose answer is given as it came, whatever it says. */
export async function requestRaw(config: KubeConfig, method: 'GET' | 'DELETE', path: string, signal?: AbortSignal): Promise<RawAnswer> {
  const response = await open(config, method, path, signal, { mayReuse: false });
  return { status: response.statusCode ?? 0, text: await textOf(response) };
}

/** One read, repeated a bounded number of times while the server fails or says nothing. */
export async function readRaw(config: KubeConfig, path: string, signal?: AbortSignal): Promise<RawAnswer> {
  const response = await openPatiently(config, path, signal);
  return { status: response.statusCode ?? 0, text: await textOf(response) };
}

/** A GET whose body goes on for as long as the server has something to say; it ends with the server, or is destroyed by the signal. */
export async function openStream(config: KubeConfig, path: string, signal: AbortSignal): Promise<Readable> {
  const response = await openPatiently(config, path, signal);
  if (response.statusCode !== 200) throw new HarnessError('QL3_CLUSTER_ANSWER', `expected 200 for GET ${path}, got ${response.statusCode}: ${(await textOf(response)).slice(0, 500)}`);
  return response;
}

async function openPatiently(config: KubeConfig, path: string, signal?: AbortSignal): Promise<IncomingMessage> {
  for (let attempt = 1; ; attempt += 1) {
    let response: IncomingMessage | null = null;
    let failure: unknown;
    try {
      response = await open(config, 'GET', path, signal, { mayReuse: true });
    } catch (error) {
      signal?.throwIfAborted();
      failure = error;
    }
    const delayMs = delayBeforeRetryMs({ method: 'GET', status: response?.statusCode ?? null, retryAfter: response?.headers['retry-after'], attempt });
    if (delayMs === null) {
      if (response === null) throw new HarnessError('QL3_CLUSTER_ANSWER', `expected an answer to GET ${path}, got none in ${attempt} attempts`, { cause: failure });
      return response;
    }
    response?.destroy();
    await pause(delayMs, signal);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** One GET whose JSON is kept as the API server wrote it (the typed clients turn times into Date objects and drop unknown fields). */
export async function getRaw<T>(config: KubeConfig, path: string, signal?: AbortSignal): Promise<T> {
  const { status, text } = await readRaw(config, path, signal);
  if (status !== 200) throw new HarnessError('QL3_CLUSTER_ANSWER', `expected 200 for GET ${path}, got ${status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as T;
}
