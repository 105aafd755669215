import type { ApiConnection } from '../kubernetes/api-connection.ts';
import type { ReviewedAccess } from './reviewed-access.ts';
import { describeAccess } from './reviewed-access.ts';
import { TokenRequestUnavailableError } from './token-request-error.ts';

export interface ExpectedAccess {
  readonly allowed: readonly ReviewedAccess[];
  readonly denied: readonly ReviewedAccess[];
}

/**
 * Asks the API server, as the connection's own identity, about each access, all
 * at once. Throws on the first access, in the given order, that is not as expected.
 */
export async function reviewAccess(
  connection: ApiConnection,
  who: 'issuer' | 'client',
  expected: ExpectedAccess,
): Promise<void> {
  const reviews = [
    ...expected.allowed.map((access) => ({ access, expected: true })),
    ...expected.denied.map((access) => ({ access, expected: false })),
  ];
  const answers = await Promise.allSettled(reviews.map(({ access }) => isAllowed(connection, access)));
  for (const [index, answer] of answers.entries()) {
    const review = reviews[index]!;
    const described = `${who} access review of "${describeAccess(review.access)}"`;
    if (answer.status === 'rejected') {
      throw new TokenRequestUnavailableError(`${who}_review_failed`, `${described} was not answered`, answer.reason);
    }
    if (answer.value === review.expected) continue;
    throw review.expected
      ? new TokenRequestUnavailableError(`${who}_permission_missing`, `${described}: expected allowed, got denied; bind the role that grants it`)
      : new TokenRequestUnavailableError(`${who}_permission_excessive`, `${described}: expected denied, got allowed; remove the binding that grants it`);
  }
}

async function isAllowed(connection: ApiConnection, access: ReviewedAccess): Promise<boolean> {
  const answer = await connection.call({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: access },
    },
    operation: `POST selfsubjectaccessreviews (${describeAccess(access)})`,
  });
  const allowed = (answer as { status?: { allowed?: unknown } } | null)?.status?.allowed;
  if (typeof allowed !== 'boolean') throw new Error('SelfSubjectAccessReview status.allowed is not a boolean');
  return allowed;
}
