import type { V1TokenReviewSpec } from '@kubernetes/client-node';
import { API_AUDIENCES } from '../authentication/service-account-tokens.ts';
import { authenticated, type UserInfo } from '../authentication/user-info.ts';
import { timestamp } from '../operations/system-metadata.ts';
import { badRequest } from '../status-error.ts';
import type { ReviewResource } from './review-resource.ts';

const GROUP = 'authentication.k8s.io';

/** `kubectl auth whoami`. */
export const SELF_SUBJECT_REVIEW: ReviewResource = {
  group: GROUP,
  version: 'v1',
  plural: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
  namespaced: false,
  model: 'V1SelfSubjectReview',
  review: (_machinery, user, request) => ({ ...request, metadata: { creationTimestamp: timestamp() }, status: { userInfo: user } }),
};

export const TOKEN_REVIEW: ReviewResource = {
  group: GROUP,
  version: 'v1',
  plural: 'tokenreviews',
  kind: 'TokenReview',
  namespaced: false,
  model: 'V1TokenReview',
  review: async (machinery, _user, request) => {
    const { token = '', audiences } = (request['spec'] ?? {}) as Partial<V1TokenReviewSpec>;
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const accepted = audiences === undefined ? API_AUDIENCES : API_AUDIENCES.filter((audience) => audiences.includes(audience));
    const user = accepted.length === 0 ? null : await machinery.tokens.authenticate(token);
    return { ...request, status: user === null ? { user: {}, error: '[invalid bearer token]' } : { authenticated: true, user: told(authenticated(user)), audiences: accepted } };
  },
};

function told({ username, uid, groups, extra }: UserInfo): object {
  return { username, uid, groups, ...(extra === undefined ? {} : { extra }) };
}
