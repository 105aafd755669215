import type { V1PolicyRule } from '@kubernetes/client-node';
import { MASTERS } from '../authentication/user-info.ts';
import { badRequest } from '../status-error.ts';
import type { ReviewResource } from './review-resource.ts';

/** `kubectl auth can-i --list`. */
export const SELF_SUBJECT_RULES_REVIEW: ReviewResource = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectrulesreviews',
  kind: 'SelfSubjectRulesReview',
  namespaced: false,
  model: 'V1SelfSubjectRulesReview',
  review: (machinery, user, request) => {
    const namespace = (request['spec'] as { namespace?: string } | undefined)?.namespace ?? '';
    if (namespace === '') throw badRequest('no namespace on request');
    const everything: V1PolicyRule[] = user.groups.includes(MASTERS) ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, { verbs: ['*'], nonResourceURLs: ['*'] }] : [];
    const rules = [...everything, ...[...machinery.authorizer.grantsOf(user, namespace)].flatMap((grant) => grant.rules)];
    return {
      ...request,
      status: {
        resourceRules: rules.filter((rule) => (rule.resources ?? []).length > 0),
        nonResourceRules: rules.filter((rule) => (rule.nonResourceURLs ?? []).length > 0),
        incomplete: false,
      },
    };
  },
};
