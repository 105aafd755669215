import { exactly, readAs, scalar } from './shape.ts';
import { parseJsonText } from './json-text.ts';

/** Every `code` that the worker ingress answers, with its HTTP status. */
export const INGRESS_ERROR_STATUS = {
  invalid_worker_request: 400,
  worker_authentication_required: 401,
  worker_route_not_found: 404,
  worker_session_fenced: 409,
  worker_request_too_large: 413,
  worker_media_type_unsupported: 415,
  authentication_rate_limited: 429,
  worker_audit_unavailable: 503,
  worker_ingress_unavailable: 503,
  not_ready: 503,
  admission_capacity_exhausted: 503,
  request_timeout: 504,
} as const;

export type IngressErrorCode = keyof typeof INGRESS_ERROR_STATUS;

export interface IngressErrorBody {
  readonly code: IngressErrorCode;
}

const bodyRule = exactly<IngressErrorBody>({
  code: scalar('one of the ingress error codes', (value) => typeof value === 'string' && Object.hasOwn(INGRESS_ERROR_STATUS, value)),
});

export function parseIngressErrorBody(text: string | Uint8Array): IngressErrorBody {
  const code = 'QL3_SESSION_MESSAGE_INVALID';
  return readAs(code, 'the error response', bodyRule, parseJsonText(code, 'the error response', text, 4_096));
}

/** `/api/v3/worker-ingress/workers/{workerId}/sessions/{sessionId}/{operation}`, for both ends of the wire. */
export function sessionPath(workerId: string, sessionId: string, operation: string): string {
  return `/api/v3/worker-ingress/workers/${encodeURIComponent(workerId)}/sessions/${encodeURIComponent(sessionId)}/${operation}`;
}
