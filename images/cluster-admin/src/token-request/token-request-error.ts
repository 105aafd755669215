export type TokenRequestUnavailableReason =
  | 'issuer_review_failed'
  | 'issuer_permission_missing'
  | 'issuer_permission_excessive'
  | 'token_request_failed'
  | 'token_malformed'
  | 'token_subject_mismatch'
  | 'token_lifetime_unacceptable'
  | 'token_expiration_mismatch'
  | 'client_review_failed'
  | 'client_permission_missing'
  | 'client_permission_excessive';

/** No delivery was lent. Names the review (verb and resource) or the claim that was at fault, never the token. */
export class TokenRequestUnavailableError extends Error {
  readonly code = 'QL3_WORKER_CREDENTIAL_KUBERNETES_TOKEN_REQUEST_UNAVAILABLE';
  readonly reason: TokenRequestUnavailableReason;

  constructor(reason: TokenRequestUnavailableReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TokenRequestUnavailableError';
    this.reason = reason;
  }
}
