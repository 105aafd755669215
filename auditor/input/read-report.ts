import { parseStrictJson } from '../../evidence/strict-json.ts';
import { InputError, readPrivateText } from './read-file.ts';

const REPORT_LIMITS = { leastBytes: 2, mostBytes: 1_048_576 } as const;

/** A report as JSON, or what about its JSON a careful reader must not accept. */
export type ReadReport = { readonly value: unknown; readonly fault: null; readonly text: string } | { readonly value: null; readonly fault: string; readonly text: string };

/** What is no JSON at all cannot be read; what is JSON with a second meaning (keys twice, numbers that round) is a finding. */
export function readReport(path: string): ReadReport {
  const text = readPrivateText(path, REPORT_LIMITS);
  const parsed = parseStrictJson(text);
  if (parsed.ok) return { value: parsed.value, fault: null, text };
  if (parsed.code === 'SYNTAX') throw new InputError('INPUT_SYNTAX', `${path}: not JSON; ${parsed.message}`);
  return { value: null, fault: parsed.message, text };
}
