import { CONTRACT_NAMES } from '../contract-names.ts';
import type { AuditEvent } from '../observation.ts';
import type { Request } from './audit.ts';

type AccessReview = NonNullable<AuditEvent['accessReview']>;

/** An access that must have been asked about. A name that is not given may be any: another object's, or none. */
export interface ExpectedReview {
  readonly allowed: boolean;
  readonly verb: string;
  readonly group: '' | 'apps';
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** The name must be given and must not be this one. */
  readonly anotherThan?: string;
}

type Names = Readonly<Record<'stageNamespace' | 'workerNamespace' | 'targetSecret' | 'identitySecret' | 'deployment' | 'deliveryServiceAccount', string>>;

function each(verbs: readonly string[], access: Omit<ExpectedReview, 'verb'>): ExpectedReview[] {
  return verbs.map((verb) => ({ ...access, verb }));
}
const secrets = { group: '', resource: 'secrets' } as const;
const deployments = { group: 'apps', resource: 'deployments' } as const;

/** What a delivery with these objects has to be asked about. */
export function reviewsOf({ stageNamespace: stage, workerNamespace: worker, targetSecret, identitySecret, deployment, deliveryServiceAccount }: Names): { readonly issuer: readonly ExpectedReview[]; readonly delivery: readonly ExpectedReview[] } {
  const podAccess = { group: '', resource: 'pods', namespace: worker } as const;
  const token = { verb: 'create', group: '', resource: 'serviceaccounts', subresource: 'token', namespace: stage } as const;
  return {
    issuer: [
      { ...token, allowed: true, name: deliveryServiceAccount },
      { ...token, allowed: false, anotherThan: deliveryServiceAccount },
      ...each(['get', 'list', 'create'], { ...secrets, allowed: false, namespace: stage }),
      { ...secrets, allowed: false, verb: 'get', namespace: worker, name: targetSecret },
      { ...deployments, allowed: false, verb: 'get', namespace: worker, name: deployment },
      { ...podAccess, allowed: false, verb: 'get' },
      { group: '', resource: 'namespaces', allowed: false, verb: 'get' },
    ],
    delivery: [
      ...each(['get', 'list', 'create', 'delete'], { ...secrets, allowed: true, namespace: stage }),
      ...each(['get', 'update'], { ...secrets, allowed: true, namespace: worker, name: targetSecret }),
      ...each(['get', 'update'], { ...deployments, allowed: true, namespace: worker, name: deployment }),
      ...each(['update', 'patch', 'watch'], { ...secrets, allowed: false, namespace: stage }),
      { group: '', resource: 'configmaps', allowed: false, verb: 'get', namespace: stage },
      ...each(['list', 'watch', 'create'], { ...secrets, allowed: false, namespace: worker }),
      { ...secrets, allowed: false, verb: 'get', namespace: worker, name: identitySecret },
      ...each(['delete', 'patch'], { ...secrets, allowed: false, namespace: worker, name: targetSecret }),
      { ...deployments, allowed: false, verb: 'list', namespace: worker },
      { ...deployments, allowed: false, verb: 'get', namespace: worker, anotherThan: deployment },
      ...each(['patch', 'delete'], { ...deployments, allowed: false, namespace: worker, name: deployment }),
      ...each(['get', 'list', 'delete'], { ...podAccess, allowed: false }),
      { ...podAccess, allowed: false, verb: 'create', subresource: 'exec' },
      { ...token, allowed: false, name: deliveryServiceAccount },
      { group: '', resource: 'namespaces', allowed: false, verb: 'get' },
    ],
  };
}

/**
 * What the issuer asks of itself before each TokenRequest: one access that it has, eight that it must not have. And what the restricted
 * client asks of itself before it is lent: eight accesses that it has, twenty that it must not have.
 */
export const { issuer: ISSUER_REVIEWS, delivery: DELIVERY_REVIEWS } = reviewsOf(CONTRACT_NAMES);

/** Whether every expected review was asked once and answered as expected, and nothing else was asked. */
export function matchesReviews(observed: readonly Request[], expected: readonly ExpectedReview[]): boolean {
  return othersThan(observed, expected)?.length === 0;
}

/** Whether every expected review was asked and answered as expected, whatever else was asked. */
export function coversReviews(observed: readonly Request[], expected: readonly ExpectedReview[]): boolean {
  return othersThan(observed, expected) !== null;
}

/** What was asked but the expected; null when not all of that was. An answer comes with the code 201. */
function othersThan(observed: readonly Request[], expected: readonly ExpectedReview[]): readonly AccessReview[] | null {
  const open = observed.flatMap(({ event }) => (event.accessReview === null || event.code !== 201 ? [] : [event.accessReview]));
  for (const wanted of expected) {
    const index = open.findIndex((review) => answers(review, wanted));
    if (index === -1) return null;
    open.splice(index, 1);
  }
  return open;
}

function answers(review: AccessReview, wanted: ExpectedReview): boolean {
  return (
    review.allowed === wanted.allowed &&
    review.verb === wanted.verb &&
    review.group === wanted.group &&
    review.resource === wanted.resource &&
    review.subresource === (wanted.subresource ?? '') &&
    (wanted.namespace === undefined || review.namespace === wanted.namespace) &&
    (wanted.name === undefined || review.name === wanted.name) &&
    (wanted.anotherThan === undefined || (review.name !== '' && review.name !== wanted.anotherThan))
  );
}
