/** What all of them are; null when they differ, or there are none. */
export function commonOf<T>(values: Iterable<T>): T | null {
  const [common = null, ...others] = new Set(values);
  return others.length === 0 ? common : null;
}

/** `Map.groupBy`, which the oldest Node.js that the auditor runs on does not have. */
export function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
