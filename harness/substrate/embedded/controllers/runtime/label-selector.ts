import type { Deployment } from './objects.ts';

export type LabelSelector = Deployment['spec']['selector'];
type Labels = Readonly<Record<string, string>>;
type Requirement = NonNullable<LabelSelector['matchExpressions']>[number];

/** An empty selector matches everything, as metav1.LabelSelector does. */
export function selectorMatches(selector: LabelSelector, labels: Labels = {}): boolean {
  return labelsMatch(selector.matchLabels ?? {}, labels) && (selector.matchExpressions ?? []).every((requirement) => isMet(requirement, labels));
}

export function labelsMatch(wanted: Labels, labels: Labels = {}): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

function isMet(requirement: Requirement, labels: Labels): boolean {
  const value = labels[requirement.key];
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    default:
      return false;
  }
}
