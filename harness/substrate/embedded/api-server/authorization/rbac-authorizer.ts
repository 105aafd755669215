import type { RbacV1Subject, V1PolicyRule } from '@kubernetes/client-node';
import type { ApiObject } from '../api-object.ts';
import { MASTERS, serviceAccountUsername, type UserInfo } from '../authentication/user-info.ts';
import { roleRefOf, subjectsOf } from '../resources/rbac/role-bindings.ts';
import { rulesOf } from '../resources/rbac/roles.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { AccessAttributes, AccessDecision } from './access-attributes.ts';
import { ruleAllows } from './rule-allows.ts';

/** A binding that applies to a user, with the rules it grants. */
export interface Grant {
  readonly binding: ApiObject;
  readonly subject: RbacV1Subject;
  readonly rules: readonly V1PolicyRule[];
}

/** Role based access control over the stored roles and bindings. It only ever allows; what nothing allows is forbidden. */
export class RbacAuthorizer {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  authorize(user: UserInfo, attributes: AccessAttributes): AccessDecision {
    if (user.groups.includes(MASTERS)) return { allowed: true, reason: '' };
    for (const { binding, subject, rules } of this.grantsOf(user, attributes.isResourceRequest ? attributes.namespace : '')) {
      if (rules.some((rule) => ruleAllows(rule, attributes))) return { allowed: true, reason: reasonOf(binding, subject) };
    }
    return { allowed: false, reason: '' };
  }

  /** What a user holds in a namespace; cluster-wide grants alone when it is empty. */
  *grantsOf(user: UserInfo, namespace: string): Generator<Grant> {
    yield* this.#grantsFrom(this.#store.list(`${RBAC}/clusterrolebindings`, null), user);
    if (namespace !== '') yield* this.#grantsFrom(this.#store.list(`${RBAC}/rolebindings`, namespace), user);
  }

  *#grantsFrom(bindings: readonly ApiObject[], user: UserInfo): Generator<Grant> {
    for (const binding of bindings) {
      const subject = subjectsOf(binding).find((candidate) => isSubject(candidate, user, binding.metadata.namespace));
      if (subject !== undefined) yield { binding, subject, rules: this.rulesReferencedBy(binding) };
    }
  }

  rulesReferencedBy(binding: ApiObject): readonly V1PolicyRule[] {
    const { kind, name } = roleRefOf(binding);
    const role = kind === 'ClusterRole' ? this.#store.get(`${RBAC}/clusterroles`, null, name) : this.#store.get(`${RBAC}/roles`, binding.metadata.namespace ?? '', name);
    return role === null ? [] : rulesOf(role);
  }
}

const RBAC = 'rbac.authorization.k8s.io';

function isSubject(subject: RbacV1Subject, user: UserInfo, bindingNamespace: string | undefined): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === user.username;
    case 'Group':
      return user.groups.includes(subject.name);
    case 'ServiceAccount':
      return serviceAccountUsername(subject.namespace ?? bindingNamespace ?? '', subject.name) === user.username;
    default:
      return false;
  }
}

function reasonOf(binding: ApiObject, subject: RbacV1Subject): string {
  const { kind, name } = roleRefOf(binding);
  const told = subject.kind === 'ServiceAccount' ? `"${subject.name}/${subject.namespace}"` : JSON.stringify(subject.name);
  const where = binding.metadata.namespace === undefined ? binding.metadata.name : `${binding.metadata.name}/${binding.metadata.namespace}`;
  return `RBAC: allowed by ${binding.kind} ${JSON.stringify(where)} of ${kind} ${JSON.stringify(name)} to ${subject.kind} ${told}`;
}
