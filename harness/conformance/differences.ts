/**
 * What Kubernetes 1.20, the oldest server that the suite knows, does otherwise than 1.34. Each check that meets one asks
 * here; every other check must hold on both.
 */
export const DIFFERENCES = {
  'strict-field-validation': { changedIn: 25, reason: 'fieldValidation=Strict is served by default from 1.25; before, unknown fields are dropped without a word' },
  'namespace-name-label': { changedIn: 21, reason: 'every Namespace has the label kubernetes.io/metadata.name from 1.21' },
  'no-account-secret': { changedIn: 24, reason: 'a ServiceAccount no longer gets a Secret with a token that does not expire from 1.24' },
  'token-credential-id': { changedIn: 32, reason: 'tokens have a jti, which audit events carry as authentication.kubernetes.io/credential-id, from 1.30 (beta, on by default) or 1.32 (GA)' },
  'job-name-label': { changedIn: 27, reason: 'Pods of a Job have batch.kubernetes.io/job-name beside job-name from 1.27' },
  'audit-status-message': { changedIn: 26, reason: 'the audit event of a failure has the message of its Status; the older server at hand leaves it out' },
  'audit-subresource-body': { changedIn: 21, reason: 'a TokenRequest’s body is in its audit event; the older server at hand cannot encode it under the version of its parent' },
  'endpoint-slice-v1': { changedIn: 21, reason: 'discovery.k8s.io/v1 is served from 1.21' },
  'self-subject-review': { changedIn: 28, reason: 'authentication.k8s.io/v1 SelfSubjectReview is served from 1.28' },
  'init-terminated-phase': { changedIn: 27, reason: 'a Pod that ended while it was being deleted reports its final phase before it goes from 1.27' },
} as const satisfies Record<string, { readonly changedIn: number; readonly reason: string }>;

export type Difference = keyof typeof DIFFERENCES;
