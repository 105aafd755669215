import type { Verdict } from '../verdict.ts';
import { rule, ruleOf, verdict } from '../verdict.ts';

/** All the others hold. */
export function passed(others: Readonly<Record<string, Verdict>>): Verdict {
  const gates = Object.entries(others);
  return verdict([rule('there are other gates', gates.length > 0), ...gates.map(([name, other]) => ruleOf(`${name} holds`, other))]);
}
