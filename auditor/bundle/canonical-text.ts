import { canonicalJson } from '../../evidence/canonical-json.ts';
import { faultsOf, type Shape } from '../../evidence/shape.ts';
import { parseStrictJson } from '../../evidence/strict-json.ts';

export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: string };

/** A document of one value in canonical JSON with a line feed behind it. */
export function readCanonical(bytes: Uint8Array | string): Read<unknown> {
  const text = typeof bytes === 'string' ? bytes : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return { ok: false, fault: parsed.message };
  return text === `${canonicalJson(parsed.value)}\n` ? { ok: true, value: parsed.value } : { ok: false, fault: 'expected canonical JSON (RFC 8785) and one line feed' };
}

/** JSON lines of one shape. A line that has not the shape is a fault of its own. */
export function readLines<T>(path: string, text: string, shape: Shape<T>): { readonly values: readonly T[]; readonly faults: readonly string[] } {
  const lines = text.split('\n');
  const faults: string[] = lines.pop() === '' ? [] : [`${path}: the last line has no end`];
  const values: T[] = [];
  lines.forEach((line, index) => {
    const parsed = parseStrictJson(line);
    const wrong = parsed.ok ? faultsOf(shape, parsed.value)[0] : undefined;
    if (!parsed.ok) faults.push(`${path}, line ${index + 1}: ${parsed.message}`);
    else if (wrong !== undefined) faults.push(`${path}, line ${index + 1}: ${wrong.path.slice(0, 200)}: expected ${wrong.expected}, got ${wrong.got}`);
    else values.push(parsed.value as T);
  });
  return { values, faults };
}
