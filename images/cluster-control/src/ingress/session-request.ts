import { authenticate, type AuthenticatedWorker, type CredentialLookup } from '../admission/authentication.ts';
import type { SessionCaller } from '../../../postgres/repositories/worker-session-caller.ts';
import { type Answer, toAnswer } from './answer.ts';
import { type Exchange, refuse } from './exchange.ts';
import { suspectsDatabase, toRefusal } from './failure.ts';
import type { IngressAudit } from './ingress-audit.ts';
import { IngressRefusal } from './refusal.ts';
import { readJsonBody } from './request-body.ts';
import { matchSessionRoute, type SessionRoute } from './route.ts';
import { bodyLimitOf, parseMutation, type SessionResponse, type WorkerSessions } from './session-mutation.ts';

export interface SessionRequestDependencies {
  readonly pepper: Buffer;
  readonly credentials: CredentialLookup;
  readonly audit: IngressAudit;
  readonly sessions: WorkerSessions;
  /** False while the database is away and while draining. */
  readonly isReady: () => boolean;
  /** Told of every failure that may mean that the database is away. */
  readonly suspectDatabase: () => void;
}

/** Answers a request that the shield let pass: route, authentication, durable audit, body, repository, in this order. */
export async function answerSessionRequest(
  dependencies: SessionRequestDependencies,
  exchange: Exchange,
  signal: AbortSignal,
  refund: () => void,
): Promise<Answer> {
  try {
    const route = findRoute(exchange);
    const worker = await identify(dependencies, exchange, route);
    await audited(dependencies, () => dependencies.audit.admitted(exchange, route, worker));
    refund();
    return await mutate(dependencies, exchange, route, worker, signal);
  } catch (error) {
    const refusal = toRefusal(error);
    if (refusal.status >= 500) refund(); // the peer has done nothing wrong
    return refuse(exchange, refusal);
  }
}

function findRoute(exchange: Exchange): SessionRoute {
  const route = matchSessionRoute(exchange.request.method, exchange.request.url);
  if (route === null) throw new IngressRefusal('worker_route_not_found', 'no_such_route');
  exchange.route = route;
  return route;
}

async function identify(dependencies: SessionRequestDependencies, exchange: Exchange, route: SessionRoute): Promise<AuthenticatedWorker> {
  if (!dependencies.isReady()) {
    dependencies.suspectDatabase();
    throw new IngressRefusal('not_ready', 'not_ready');
  }
  const headers = exchange.request.headersDistinct['authorization'];
  try {
    const worker = await watchingDatabase(dependencies, () => authenticate(headers, route.workerId, dependencies.pepper, dependencies.credentials));
    exchange.credentialId = worker.credentialId;
    return worker;
  } catch (error) {
    // The answer is a refusal either way, so a record that cannot be kept does not change it.
    if (error instanceof IngressRefusal && error.status === 401) await dependencies.audit.denied(exchange, route, error).catch(dependencies.suspectDatabase);
    throw error;
  }
}

async function mutate(
  dependencies: SessionRequestDependencies,
  exchange: Exchange,
  route: SessionRoute,
  worker: AuthenticatedWorker,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    if (exchange.request.headers.expect !== undefined) exchange.response.writeContinue();
    const body = await readJsonBody(exchange.request, bodyLimitOf(route.operation), signal);
    const change = parseMutation(route.operation, body);
    const result = await watchingDatabase(dependencies, () => change(dependencies.sessions, callerOf(exchange, route, worker), signal));
    return succeeded(exchange, result);
  } catch (error) {
    const refusal = toRefusal(error);
    await audited(dependencies, () => dependencies.audit.failed(exchange, route, worker, refusal));
    throw refusal;
  }
}

function callerOf(exchange: Exchange, route: SessionRoute, worker: AuthenticatedWorker): SessionCaller {
  return {
    workerId: worker.workerId,
    sessionId: route.sessionId,
    credentialId: worker.credentialId,
    clientCertificateFingerprint: exchange.peer.clientCertificateFingerprint,
    clientCertificateSerial: exchange.peer.clientCertificateSerial,
  };
}

async function audited(dependencies: SessionRequestDependencies, append: () => Promise<void>): Promise<void> {
  try {
    await append();
  } catch (cause) {
    dependencies.suspectDatabase();
    throw new IngressRefusal('worker_audit_unavailable', 'audit_not_durable', { cause });
  }
}

async function watchingDatabase<T>(dependencies: SessionRequestDependencies, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const refusal = toRefusal(error);
    if (suspectsDatabase(refusal)) dependencies.suspectDatabase();
    throw refusal;
  }
}

function succeeded(exchange: Exchange, result: SessionResponse): Answer {
  exchange.generation = result.generation;
  exchange.version = result.version;
  return toAnswer(result);
}
