/** One way in which a database is not what a process may work on. */
export interface ReadinessProblem {
  readonly check: 'server' | 'role' | 'history' | 'schema' | 'privilege';
  readonly subject: string;
  readonly expected: string;
  readonly got: string;
}

/** Everything in which two descriptions differ, with a path each. Longer texts are cut: the path says where to look. */
export function differences(
  check: ReadinessProblem['check'],
  expected: unknown,
  got: unknown,
  path = '',
): readonly ReadinessProblem[] {
  if (isRecord(expected) && isRecord(got)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(got)]);
    return [...keys].flatMap((key) =>
      differences(check, own(expected, key), own(got, key), path === '' ? key : `${path}.${key}`),
    );
  }
  const [left, right] = [JSON.stringify(expected), JSON.stringify(got)];
  return left === right ? [] : [{ check, subject: path, expected: brief(left), got: brief(right) }];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function brief(text: string | undefined): string {
  if (text === undefined) return 'nothing';
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}
