/** The process was started wrongly. All that is wrong is listed at once; nothing was opened or done. */
export class UsageError extends Error {
  readonly code = 'QL3_CLUSTER_ADMIN_USAGE';
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(issues.join('; '));
    this.name = 'UsageError';
    this.issues = issues;
  }
}

/** Does both, so that arguments and environment are complained of together. */
export function readBoth<A, B>(first: () => A, second: () => B): [A, B] {
  const [one, other] = [attempt(first), attempt(second)];
  const issues = [one, other].flatMap((read) => ('issues' in read ? read.issues : []));
  if ('issues' in one || 'issues' in other) throw new UsageError(issues);
  return [one.value, other.value];
}

function attempt<T>(read: () => T): { readonly value: T } | { readonly issues: readonly string[] } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof UsageError) return { issues: error.issues };
    throw error;
  }
}
