const RFC_3339 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** Milliseconds since the epoch with the fraction kept (audit times are microseconds); NaN for anything but RFC 3339. */
export function instantMs(text: unknown): number {
  const match = typeof text === 'string' ? RFC_3339.exec(text) : null;
  if (match === null) return NaN;
  return Date.parse(`${match[1]}${match[3]}`) + Number(match[2] ?? 0) * 1000;
}
