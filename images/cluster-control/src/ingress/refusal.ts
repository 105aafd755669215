import { INGRESS_ERROR_STATUS, type IngressErrorCode } from '../../../core/ingress-error.ts';

/** Seconds after which a refusal that is nobody's fault is worth another attempt. */
const RETRY_AFTER_SECONDS: Partial<Record<IngressErrorCode, number>> = {
  authentication_rate_limited: 60,
  worker_audit_unavailable: 1,
  worker_ingress_unavailable: 1,
  not_ready: 1,
  admission_capacity_exhausted: 1,
  request_timeout: 1,
};

/** Ends a request with a coded answer. The reason is for the log and the audit; the peer learns the code alone. */
export class IngressRefusal extends Error {
  readonly code: IngressErrorCode;
  readonly reason: string;
  readonly retryAfterSeconds: number | null;

  constructor(code: IngressErrorCode, reason: string, options: ErrorOptions & { retryAfterSeconds?: number } = {}) {
    super(`${code}: ${reason}`, options);
    this.name = 'IngressRefusal';
    this.code = code;
    this.reason = reason;
    this.retryAfterSeconds = options.retryAfterSeconds ?? RETRY_AFTER_SECONDS[code] ?? null;
  }

  get status(): number {
    return INGRESS_ERROR_STATUS[this.code];
  }
}
