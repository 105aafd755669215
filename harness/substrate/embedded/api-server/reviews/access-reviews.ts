import type { V1SelfSubjectAccessReviewSpec, V1SubjectAccessReviewSpec } from '@kubernetes/client-node';
import type { ApiMachinery } from '../api-machinery.ts';
import type { ApiObject } from '../api-object.ts';
import type { UserInfo } from '../authentication/user-info.ts';
import type { AccessAttributes } from '../authorization/access-attributes.ts';
import { badRequest } from '../status-error.ts';
import { invalid, invalidObject } from '../validation/field-error.ts';
import type { ReviewResource } from './review-resource.ts';

const GROUP = 'authorization.k8s.io';

export const SELF_SUBJECT_ACCESS_REVIEW: ReviewResource = {
  group: GROUP,
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
  model: 'V1SelfSubjectAccessReview',
  review: (machinery, user, request) => answered(machinery, user, request),
};

export const SUBJECT_ACCESS_REVIEW: ReviewResource = {
  group: GROUP,
  version: 'v1',
  plural: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
  model: 'V1SubjectAccessReview',
  review: (machinery, _user, request) => answered(machinery, subjectOf(request, 'SubjectAccessReview'), request),
};

export const LOCAL_SUBJECT_ACCESS_REVIEW: ReviewResource = {
  group: GROUP,
  version: 'v1',
  plural: 'localsubjectaccessreviews',
  kind: 'LocalSubjectAccessReview',
  namespaced: true,
  model: 'V1LocalSubjectAccessReview',
  review: (machinery, _user, request, namespace) => {
    const asked = (request['spec'] as V1SubjectAccessReviewSpec | undefined)?.resourceAttributes?.namespace;
    if (asked !== namespace) throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
    return answered(machinery, subjectOf(request, 'LocalSubjectAccessReview'), request);
  },
};

function answered(machinery: ApiMachinery, user: UserInfo, request: ApiObject): ApiObject {
  const { allowed, reason } = machinery.authorizer.authorize(user, attributesOf(request));
  return { ...request, status: { allowed, ...(reason === '' ? {} : { reason }) } };
}

function subjectOf(request: ApiObject, kind: string): UserInfo {
  const { user = '', groups = [], uid } = (request['spec'] ?? {}) as V1SubjectAccessReviewSpec;
  if (user === '' && groups.length === 0) {
    throw invalidObject(kind, { group: GROUP, plural: '' }, '', [invalid('spec.user', user, 'at least one of user or group must be specified')]);
  }
  return { username: user, groups, ...(uid === undefined ? {} : { uid }) };
}

function attributesOf(request: ApiObject): AccessAttributes {
  const { resourceAttributes: resource, nonResourceAttributes: path } = (request['spec'] ?? {}) as V1SelfSubjectAccessReviewSpec;
  if ((resource === undefined) === (path === undefined)) {
    const detail = resource === undefined ? 'exactly one of nonResourceAttributes or resourceAttributes must be specified' : 'cannot be specified in combination with resourceAttributes';
    throw invalidObject(request.kind, { group: GROUP, plural: '' }, '', [invalid(resource === undefined ? 'spec.resourceAttributes' : 'spec.nonResourceAttributes', path ?? 'null', detail)]);
  }
  if (path !== undefined) return { isResourceRequest: false, verb: path.verb ?? '', path: path.path ?? '' };
  const { verb = '', group = '', version = '', resource: plural = '', subresource = '', namespace = '', name = '' } = resource ?? {};
  return { isResourceRequest: true, verb, group, version, resource: plural, subresource, namespace, name };
}
