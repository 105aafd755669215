/** What is the same in every line of the product. */
const SAME = new Set(['schemaVersion', 'component', 'at', 'level', 'event']);

/** A JSON line of a program by what it says: its event first, then `name=value`; without what is the same in every line. */
export function lineInWords(line: Readonly<Record<string, unknown>>, { withTime = false }: { readonly withTime?: boolean } = {}): string {
  const { at, level, event } = line;
  const head = [withTime ? at : undefined, level === 'info' ? undefined : level, event].filter((part) => typeof part === 'string');
  return [...head, ...Object.entries(line).filter(([name]) => !SAME.has(name)).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)].join(' ');
}
