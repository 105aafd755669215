const SUFFIXES: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A Kubernetes quantity (`16Mi`, `0.5`, `1e3`) as a number. The API server has checked its form. */
export function parseQuantity(quantity: string | number): number {
  if (typeof quantity === 'number') return quantity;
  const match = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/.exec(quantity);
  const factor = SUFFIXES[match?.[2] ?? '?'];
  if (match === null || factor === undefined) throw new Error(`expected a Kubernetes quantity, got ${JSON.stringify(quantity)}`);
  return Number(match[1]) * factor;
}
