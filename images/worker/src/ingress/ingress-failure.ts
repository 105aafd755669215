import { parseIngressErrorBody } from '../../../core/ingress-error.ts';

/**
 * What a failed request means for the session:
 * `blocked` 401 and 403, nothing may start until a later request succeeds; `fenced` 409, another session or state has come;
 * `refused` the request itself is wrong and would be wrong again; `unavailable` trying again later may help;
 * `local` nothing was sent, because a file of ours could not be used.
 */
export type FailureKind = 'blocked' | 'fenced' | 'refused' | 'unavailable' | 'local';

export interface FailureFacts {
  readonly kind: FailureKind;
  /** HTTP status, or null without an answer. */
  readonly status: number | null;
  readonly code: string;
  /** True when the Control may have done what was asked although we do not know it. */
  readonly ambiguous: boolean;
  /** True for a reused connection that the other side had closed: worth one more try at once. */
  readonly staleConnection: boolean;
  readonly retryAfterMs: number | null;
}

export class IngressFailure extends Error {
  readonly facts: FailureFacts;

  constructor(facts: FailureFacts, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'IngressFailure';
    this.facts = facts;
  }
}

export interface RawAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

/** Statuses that say for certain that nothing was changed. */
const CERTAIN = new Set([400, 401, 403, 404, 409, 413, 415, 429]);

export function toFailure(answer: RawAnswer): IngressFailure {
  const code = codeOf(answer.body);
  const facts: FailureFacts = {
    kind: kindOf(answer.status),
    status: answer.status,
    code: code ?? `http_${answer.status}`,
    ambiguous: !CERTAIN.has(answer.status),
    staleConnection: false,
    retryAfterMs: parseRetryAfter(answer.retryAfter),
  };
  return new IngressFailure(facts, `the Control answered ${answer.status} ${facts.code}`);
}

function kindOf(status: number): FailureKind {
  if (status === 401 || status === 403) return 'blocked';
  if (status === 409) return 'fenced';
  if (status === 429 || status === 408) return 'unavailable';
  return status >= 400 && status < 500 ? 'refused' : 'unavailable';
}

// Only a known code is passed on: the body of a stranger in between does not belong into our events.
function codeOf(body: Buffer): string | null {
  try {
    return parseIngressErrorBody(body).code;
  } catch {
    return null;
  }
}

/** Retry-After in seconds (RFC 9110, 10.2.3); the date form is not used by the Control. */
function parseRetryAfter(value: string | undefined): number | null {
  return value !== undefined && /^\d{1,5}$/.test(value) ? Number(value) * 1_000 : null;
}
