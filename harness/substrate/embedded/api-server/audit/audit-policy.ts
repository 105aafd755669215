import type { UserInfo } from '../authentication/user-info.ts';
import type { AccessAttributes } from '../authorization/access-attributes.ts';
import { ruleMatches } from './policy-rule.ts';
import type { AuditLevel, PolicyRule } from './read-audit-policy.ts';

/** Which requests are written down, and how much of them: the first rule that matches decides, and without one nothing is. */
export class AuditPolicy {
  readonly #rules: readonly PolicyRule[];

  constructor(rules: readonly PolicyRule[]) {
    this.#rules = rules;
  }

  /** `user` is who made the request, also where it acts as somebody else; null before anybody was authenticated. */
  levelOf(user: UserInfo | null, attributes: AccessAttributes): AuditLevel {
    return this.#rules.find((rule) => ruleMatches(rule, user, attributes))?.level ?? 'None';
  }
}
