/**
 * Sorts a merged list as $setElementOrder asks: the named elements in that order, and those that only the server knows
 * before the first named one that came after them on the server.
 */
export function inElementOrder(merged: readonly unknown[], order: readonly unknown[], serverOrder: readonly unknown[], key: string | undefined): unknown[] {
  const identity = (element: unknown): unknown => (key === undefined ? element : (element as Record<string, unknown> | null)?.[key]);
  const wanted = order.map(identity);
  const served = serverOrder.map(identity);
  const named = merged.filter((element) => wanted.includes(identity(element))).toSorted((a, b) => wanted.indexOf(identity(a)) - wanted.indexOf(identity(b)));
  const result = [...named];
  let from = 0;
  for (const element of merged) {
    if (wanted.includes(identity(element))) continue;
    const place = served.indexOf(identity(element));
    let at = from;
    while (at < result.length && served.indexOf(identity(result[at])) <= place) at += 1;
    result.splice(at, 0, element);
    from = at + 1;
  }
  return result;
}
