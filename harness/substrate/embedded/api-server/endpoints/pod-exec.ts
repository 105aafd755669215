import { PassThrough, type Readable } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { isTrue } from '../http/request-info.ts';
import type { RunningExec } from '../in-process-api.ts';
import { getObject } from '../operations/get-object.ts';
import { badRequest, notImplemented } from '../status-error.ts';
import { objectRequest, type ResourceEndpointRequest } from './endpoint-request.ts';
import { containerOf, nodeOf } from './pod-log.ts';

const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
/** v5 alone: the client closes a channel by its number. */
const CLOSE = 255;
const MAX_MESSAGE_BYTES = 1024 * 1024;

const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, handleProtocols: (offered) => PROTOCOLS.find((protocol) => offered.has(protocol)) ?? false });

/** Runs a command in a container over a WebSocket with Kubernetes' channel protocol. SPDY, the older way, is not spoken here. */
export async function servePodExec(request: ResourceEndpointRequest): Promise<void> {
  const { info, message, audit } = request;
  const offered = (message.headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  if (message.headers.upgrade?.toLowerCase() !== 'websocket' || !PROTOCOLS.some((protocol) => offered.includes(protocol))) {
    throw notImplemented(`pods/exec is served over WebSocket alone, with the subprotocol ${PROTOCOLS.join(' or ')}`);
  }
  const pod = getObject(request.machinery, objectRequest(request));
  const container = containerOf(pod, info.query.get('container') ?? '');
  const backend = nodeOf(request, pod, container);
  const command = info.query.getAll('command');
  if (command.length === 0) throw badRequest('you must specify at least one command for the container');
  if (backend.exec === undefined) throw notImplemented('the node agent does not run commands in containers');
  const stdin = isTrue(info.query.get('stdin')) ? new PassThrough() : null;
  const gone = new AbortController();
  const running = await backend.exec(pod, { container, command, stdin, tty: isTrue(info.query.get('tty')), signal: AbortSignal.any([gone.signal, request.signal]) });
  request.response.detachSocket(message.socket);
  const socket = await new Promise<WebSocket>((resolve) => sockets.handleUpgrade(message, message.socket, Buffer.alloc(0), resolve));
  audit.started(101);
  socket.on('error', () => gone.abort());
  socket.on('close', () => gone.abort());
  socket.on('message', (data: Buffer) => receive(data, stdin));
  await relay(socket, running);
  audit.completed(101);
}

function receive(data: Buffer, stdin: PassThrough | null): void {
  const channel = data[0];
  if (channel === STDIN) stdin?.write(data.subarray(1));
  else if (channel === CLOSE && data[1] === STDIN) stdin?.end();
}

async function relay(socket: WebSocket, { stdout, stderr, exitCode }: RunningExec): Promise<void> {
  try {
    const [code] = await Promise.all([exitCode, pump(socket, STDOUT, stdout), pump(socket, STDERR, stderr)]);
    socket.send(Buffer.concat([Buffer.from([STATUS]), Buffer.from(JSON.stringify(statusOf(code)))]));
    socket.close(1000);
  } catch (error) {
    socket.close(1011, (error as Error).message.slice(0, 120));
  }
}

async function pump(socket: WebSocket, channel: number, stream: Readable): Promise<void> {
  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    await new Promise<void>((resolve) => socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(chunk as Buffer)]), () => resolve()));
  }
}

function statusOf(code: number): object {
  if (code === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}
