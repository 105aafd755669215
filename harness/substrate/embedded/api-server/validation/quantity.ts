import { invalid, type FieldError } from './field-error.ts';

const QUANTITY = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?\d+)?$/;
const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
};

/** The value of a resource quantity such as 64Mi or 250m, or null when it is none. */
export function parseQuantity(text: string): number | null {
  const match = QUANTITY.exec(text);
  if (match === null) return null;
  const [, number = '', suffix = ''] = match;
  return /^[eE][+-]?\d/.test(suffix) ? Number(number + suffix) : Number(number) * (suffix === '' ? 1 : (FACTORS[suffix] as number));
}

export function validateQuantity(text: string, field: string): FieldError[] {
  const value = parseQuantity(text);
  if (value === null) return [invalid(field, text, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")];
  return value < 0 ? [invalid(field, text, 'must be greater than or equal to 0')] : [];
}
