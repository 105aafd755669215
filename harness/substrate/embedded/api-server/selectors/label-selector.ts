import { badRequest } from '../status-error.ts';

type Labels = Readonly<Record<string, string>>;

interface Requirement {
  readonly key: string;
  readonly operator: '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<';
  readonly values: readonly string[];
}

export type LabelMatcher = (labels: Labels | undefined) => boolean;

const KEY = String.raw`(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?`;
const VALUE = String.raw`(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?`;
const REQUIREMENTS: readonly [RegExp, (match: RegExpExecArray) => Requirement][] = [
  [new RegExp(`^(${KEY})\\s*(==|=|!=)\\s*(${VALUE})$`), ([, key = '', operator, value = '']) => ({ key, operator: operator === '!=' ? '!=' : '=', values: [value] })],
  [new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(\\s*(${VALUE}(?:\\s*,\\s*${VALUE})*)\\s*\\)$`), ([, key = '', operator, values = '']) => ({ key, operator: operator === 'in' ? 'in' : 'notin', values: values.split(',').map((value) => value.trim()) })],
  [new RegExp(`^(${KEY})\\s*([<>])\\s*(-?[0-9]+)$`), ([, key = '', operator, value = '']) => ({ key, operator: operator === '>' ? '>' : '<', values: [value] })],
  [new RegExp(`^(${KEY})$`), ([, key = '']) => ({ key, operator: 'exists', values: [] })],
  [new RegExp(`^!\\s*(${KEY})$`), ([, key = '']) => ({ key, operator: '!', values: [] })],
];

/** Parses the label selector of a query string; throws 400 when it is none. */
export function parseLabelSelector(text: string | undefined): LabelMatcher {
  if (text === undefined || text.trim() === '') return () => true;
  const requirements = splitOutsideParentheses(text).map((part) => parseRequirement(part.trim(), text));
  return (labels = {}) => requirements.every((requirement) => satisfies(labels, requirement));
}

function splitOutsideParentheses(text: string): string[] {
  return text.split(/,(?![^(]*\))/);
}

function parseRequirement(part: string, whole: string): Requirement {
  for (const [pattern, build] of REQUIREMENTS) {
    const match = pattern.exec(part);
    if (match !== null) return build(match);
  }
  throw badRequest(`unable to parse requirement: found ${JSON.stringify(part)} in label selector ${JSON.stringify(whole)}, expected key, !key, key=value, key!=value, key in (values) or key notin (values)`);
}

function satisfies(labels: Labels, { key, operator, values }: Requirement): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '=':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case '>':
      return value !== undefined && Number(value) > Number(values[0]);
    case '<':
      return value !== undefined && Number(value) < Number(values[0]);
  }
}
