import type { Proof } from '../timeline/mark.ts';

/** What a letter of a gate's name takes, at most: fonts differ. */
const NAME_LETTER = 6.9;
export const BADGE = 19;
const MOST_STRIPS = 6;

export interface PlacedLabel {
  readonly proof: Proof;
  readonly labelX: number;
  /** Counted from the top. */
  readonly strip: number;
  /** Whether there is room for the gate's name beside its number. */
  readonly isNamed: boolean;
}

/** Strips above a lane for its proofs: each gate's name stands there once in a band, where the fewest other proofs are in its way; its number always. */
export function placeLabels(proofs: readonly Proof[], xOf: (proof: Proof) => number, named: Set<string>, width: number): { readonly labels: readonly PlacedLabel[]; readonly strips: number } {
  const free: number[] = [];
  const places = Array.from({ length: MOST_STRIPS }, (_, index) => index);
  const inOrder = proofs.toSorted((left, right) => xOf(left) - xOf(right));
  const withName = namedOnes(inOrder, xOf, named, width);
  const labels = inOrder.map((proof): PlacedLabel => {
    const { narrow, wide } = roomOf(proof);
    const labelX = Math.min(xOf(proof), width - narrow);
    const isNamed = withName.has(proof);
    const strip = places.find((index) => (free[index] ?? 0) <= labelX) ?? MOST_STRIPS - 1;
    free[strip] = labelX + (isNamed ? wide : narrow);
    return { proof, labelX, strip, isNamed };
  });
  return { labels, strips: free.length };
}

function roomOf({ gates }: Proof): { readonly narrow: number; readonly wide: number } {
  const narrow = BADGE * gates.length + 3;
  return { narrow, wide: narrow + (gates[0] ?? '').length * NAME_LETTER + 6 };
}

/** One proof of each gate that has no name in the band yet, and room for it. */
function namedOnes(proofs: readonly Proof[], xOf: (proof: Proof) => number, named: Set<string>, width: number): ReadonlySet<Proof> {
  const inTheWay = (proof: Proof): number => proofs.filter((other) => xOf(other) > xOf(proof) && xOf(other) < xOf(proof) + roomOf(proof).wide).length;
  const best = new Map<string, Proof>();
  for (const proof of proofs) {
    const gates = proof.gates.join();
    const known = best.get(gates);
    if (named.has(gates) || xOf(proof) + roomOf(proof).wide > width) continue;
    if (known === undefined || inTheWay(proof) < inTheWay(known)) best.set(gates, proof);
  }
  for (const gates of best.keys()) named.add(gates);
  return new Set(best.values());
}
