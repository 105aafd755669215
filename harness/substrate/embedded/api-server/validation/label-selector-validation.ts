import type { V1LabelSelector } from '@kubernetes/client-node';
import { forbiddenField, invalid, notSupported, required, type FieldError } from './field-error.ts';
import { labelValueFaults, qualifiedNameFaults } from './name-grammar.ts';
import { validateLabels } from './metadata-validation.ts';

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

export function validateLabelSelector(selector: V1LabelSelector | undefined, field: string): FieldError[] {
  const expressions = selector?.matchExpressions ?? [];
  return [
    ...validateLabels(selector?.matchLabels, `${field}.matchLabels`),
    ...expressions.flatMap(({ key, operator, values = [] }, index) => {
      const at = `${field}.matchExpressions[${index}]`;
      return [
        ...(OPERATORS.includes(operator) ? [] : [notSupported(`${at}.operator`, operator, OPERATORS)]),
        ...((operator === 'In' || operator === 'NotIn') && values.length === 0 ? [required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")] : []),
        ...((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0 ? [forbiddenField(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")] : []),
        ...qualifiedNameFaults(key ?? '').map((fault) => invalid(`${at}.key`, key, fault)),
        ...values.flatMap((value, position) => labelValueFaults(value).map((fault) => invalid(`${at}.values[${position}]`, value, fault))),
      ];
    }),
  ];
}

export function isEmptySelector(selector: V1LabelSelector | undefined): boolean {
  return selector === undefined || (Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0);
}

export function selectorMatches(selector: V1LabelSelector, labels: Readonly<Record<string, string>> = {}): boolean {
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'In') return value !== undefined && values.includes(value);
      if (operator === 'NotIn') return value === undefined || !values.includes(value);
      return operator === 'Exists' ? value !== undefined : value === undefined;
    })
  );
}
