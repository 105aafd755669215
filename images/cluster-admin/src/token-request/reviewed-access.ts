/** ResourceAttributes of a SelfSubjectAccessReview, without wildcards. */
export interface ReviewedAccess {
  readonly namespace: string;
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
  readonly group: '' | 'apps';
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
}

export interface ReviewTargets {
  readonly stageNamespace: string;
  readonly namespace: string;
  readonly serviceAccountName: string;
  readonly targetSecretName: string;
  readonly targetDeploymentName: string;
  readonly identitySecretName: string;
}

export function describeAccess(access: ReviewedAccess): string {
  const resource = access.subresource === undefined ? access.resource : `${access.resource}/${access.subresource}`;
  const name = access.name === undefined ? '' : ` ${access.name}`;
  return `${access.verb} ${resource}${name} in ${access.namespace}`;
}

/** Any name that is not the given one; the object need not exist for a review. */
export function anotherName(name: string): string {
  return name === 'ql3-access-review' ? 'ql3-access-review-other' : 'ql3-access-review';
}
