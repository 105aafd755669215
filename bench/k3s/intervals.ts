/** From and until, milliseconds on one clock. */
export type Interval = readonly [fromMs: number, untilMs: number];

/** The same time without overlaps, in order. */
export function union(intervals: readonly Interval[]): Interval[] {
  const merged: [number, number][] = [];
  for (const [from, until] of intervals.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last === undefined || from > last[1]) merged.push([from, until]);
    else last[1] = Math.max(last[1], until);
  }
  return merged;
}

export function lengthOf(intervals: readonly Interval[]): number {
  return union(intervals).reduce((sum, [from, until]) => sum + until - from, 0);
}

/** The time that is in both. */
export function intersect(one: readonly Interval[], other: readonly Interval[]): Interval[] {
  const common = one.flatMap(([from, until]) => other.map(([start, end]): Interval => [Math.max(from, start), Math.min(until, end)]));
  return union(common.filter(([from, until]) => until > from));
}

/** The time of the first that is in none of the second. */
export function subtract(whole: readonly Interval[], taken: readonly Interval[]): Interval[] {
  return union(taken).reduce<Interval[]>((left, [start, end]) => left.flatMap(([from, until]): Interval[] => [[from, Math.min(until, start)], [Math.max(from, end), until]].filter((piece): piece is [number, number] => (piece[1] as number) > (piece[0] as number))), union(whole));
}
