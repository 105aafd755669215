/**
 * `node bench/review-connections.ts`: what the 28 concurrent reviews of a token session cost by the number of connections that
 * they may use. Prints wall time and processor time of client and server as ratios to one connection for each review.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Authority } from '../harness/pki/authority.ts';

const REVIEWS = 28;
const SESSIONS = 20;
const CONNECTIONS = [REVIEWS, 16, 8, 4];

interface Cost {
  readonly wallMs: number;
  readonly processorMs: number;
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function serve(send: (message: unknown) => void): Promise<void> {
  const authority = await Authority.create('bench');
  const { certificatePem, privateKeyPem } = await authority.issueServer('api', { dns: [], ip: ['127.0.0.1'] });
  const server = createServer({ cert: certificatePem, key: privateKeyPem }, (message, response) => message.resume().on('end', () => response.end('{"status":{"allowed":false}}')));
  server.listen(0, '127.0.0.1', () => send({ port: (server.address() as AddressInfo).port, ca: authority.certificatePem }));
  process.on('message', () => send(processorMs()));
}

async function measure(): Promise<void> {
  const child = fork(new URL(import.meta.url));
  const [{ port, ca }] = (await once(child, 'message')) as [{ port: number; ca: string }];
  const served = async (): Promise<number> => {
    child.send('processor');
    return Number((await once(child, 'message'))[0]);
  };
  const review = async (agent: Agent): Promise<void> => {
    const asked = request({ host: '127.0.0.1', port, method: 'POST', agent });
    asked.end('{"kind":"SelfSubjectAccessReview"}');
    const [answer] = await once(asked, 'response');
    await once(answer.resume(), 'end');
  };
  const session = async (maxSockets: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets, ca });
    await Promise.all(Array.from({ length: REVIEWS }, () => review(agent)));
    agent.destroy();
  };
  const cost = async (maxSockets: number): Promise<Cost> => {
    const [before, startedAt] = [processorMs() + (await served()), performance.now()];
    for (let index = 0; index < SESSIONS; index++) await session(maxSockets);
    return { wallMs: performance.now() - startedAt, processorMs: processorMs() + (await served()) - before };
  };
  for (const warm of CONNECTIONS) await session(warm);
  const costs: Cost[] = [];
  for (const connections of CONNECTIONS) costs.push(await cost(connections));
  const [most] = costs as [Cost];
  for (const [index, { wallMs, processorMs: used }] of costs.entries()) {
    process.stdout.write(`${JSON.stringify({ connections: CONNECTIONS[index], timesTheWall: round(wallMs / most.wallMs), timesTheProcessor: round(used / most.processorMs) })}\n`);
  }
  child.kill();
}

function round(ratio: number): number {
  return Math.round(ratio * 100) / 100;
}

await (process.send === undefined ? measure() : serve(process.send.bind(process)));
