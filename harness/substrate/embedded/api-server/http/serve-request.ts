import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiMachinery } from '../api-machinery.ts';
import { AuditedRequest } from '../audit/audited-request.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { authenticateRequest } from '../authentication/authenticate-request.ts';
import { impersonatedUser } from '../authentication/impersonate.ts';
import type { UserInfo } from '../authentication/user-info.ts';
import { forbiddenRequest } from '../authorization/forbidden-request.ts';
import { serveResource } from '../endpoints/resource.ts';
import { badRequest } from '../status-error.ts';
import { serveNonResource } from './non-resource-endpoints.ts';
import { parseRequestInfo, type RequestInfo } from './request-info.ts';
import { sendError, sendObject, toStatusError } from './respond.ts';

export interface RequestContext {
  readonly machinery: ApiMachinery;
  readonly auditLog: AuditLog;
  readonly gitVersion: string;
  readonly address: () => string;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

/** One request through authentication, impersonation, authorisation and its endpoint; audited whatever comes of it. */
export async function serveRequest(context: RequestContext, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const info = parseTarget(message);
  if (info === null) {
    sendError(response, badRequest(`the request target is no URL path: ${JSON.stringify(message.url ?? '')}`));
    return;
  }
  const audit = new AuditedRequest(context.auditLog, originOf(message), info.attributes);
  response.setHeader('audit-id', audit.auditId);
  try {
    const user = await authorise(context, message, info, audit);
    await serve(context, { message, response, info, audit, user });
  } catch (error) {
    const status = toStatusError(error);
    audit.failed(status);
    sendError(response, status);
  } finally {
    // A body that nobody read would keep the connection from being used again.
    if (!message.complete) message.resume();
  }
}

interface AuthorisedRequest {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: RequestInfo;
  readonly audit: AuditedRequest;
  readonly user: UserInfo;
}

export async function authorise(context: RequestContext, message: IncomingMessage, info: RequestInfo, audit: AuditedRequest): Promise<UserInfo> {
  const { tokens, authorizer } = context.machinery;
  const requester = await authenticateRequest(message, tokens);
  audit.authenticatedAs(requester);
  const impersonated = impersonatedUser(message.headers, requester, authorizer);
  if (impersonated !== null) audit.impersonating(impersonated);
  const user = impersonated ?? requester;
  const decision = authorizer.authorize(user, info.attributes);
  audit.decided(decision);
  if (!decision.allowed) throw forbiddenRequest(user, info.attributes);
  return user;
}

async function serve(context: RequestContext, { message, response, info, audit, user }: AuthorisedRequest): Promise<void> {
  const { machinery, gitVersion } = context;
  if (!info.attributes.isResourceRequest) {
    audit.completed(await serveNonResource({ machinery, info, message, response, gitVersion, address: context.address() }));
    return;
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, context.stopping]);
  const answer = await serveResource({ machinery, info, attributes: info.attributes, user, audit, message, response, signal });
  if (answer === null) return;
  audit.completed(answer.code);
  sendObject(response, answer.code, answer.object, { yaml: wantsYaml(message), warnings: answer.warnings ?? [] });
}

function wantsYaml(message: IncomingMessage): boolean {
  return (message.headers.accept ?? '').startsWith('application/yaml');
}

function parseTarget(message: IncomingMessage): RequestInfo | null {
  try {
    return parseRequestInfo(message.method ?? 'GET', message.url ?? '/');
  } catch {
    return null;
  }
}

export function originOf(message: IncomingMessage): { requestUri: string; sourceAddress: string; userAgent: string } {
  return { requestUri: message.url ?? '', sourceAddress: message.socket.remoteAddress ?? '', userAgent: message.headers['user-agent'] ?? '' };
}
