/** Where instants lie in a band of the picture. */
export type TimeScale = (ms: number) => number;

/** A stretch of time that must be so wide. */
export interface Need {
  readonly fromMs: number;
  readonly toMs: number;
  readonly room: number;
}

/** Instants that are closer are one place. */
const SAME_MS = 0.5;
/** The longer nothing happens the less room a second of it gets. */
const STRETCH = 0.36;
const ROUNDS = 40;

/**
 * A scale that never runs backwards and gives every instant at which something happens room of its own: orders that milliseconds
 * decide can be seen beside waits of many seconds. Between two of them time runs evenly.
 */
export function timeScale(instants: readonly number[], fromX: number, toX: number, needs: readonly Need[] = [], leastRoom = 7): TimeScale {
  const stops = instants.filter(Number.isFinite).toSorted((left, right) => left - right).filter((each, index, all) => index === 0 || each - (all[index - 1] as number) > SAME_MS);
  const width = toX - fromX;
  const room = Math.min(leastRoom, width / Math.max(1, stops.length - 1));
  let gaps = fill(stops.slice(1).map((each, index) => (each - (stops[index] as number)) ** STRETCH), room, width);
  for (let round = 0; round < ROUNDS; round += 1) {
    const narrow = needs.map((need) => ({ ...need, has: gaps.reduce((sum, gap, index) => (isIn(stops, index, need) ? sum + gap : sum), 0) })).filter(({ has, room: wanted }) => has > 0 && has < wanted);
    if (narrow.length === 0) break;
    gaps = fill(gaps.map((gap, index) => narrow.filter((need) => isIn(stops, index, need)).reduce((wide, { has, room: wanted }) => wide * Math.min(2, wanted / has) * 1.02, gap)), room, width);
  }
  const places = gaps.reduce<number[]>((all, gap) => [...all, (all.at(-1) as number) + gap], [fromX]);
  return (ms) => {
    const next = stops.findIndex((each) => each >= ms);
    if (next === -1) return places.at(-1) ?? fromX;
    if (next === 0) return fromX;
    const [left, right] = [stops[next - 1] as number, stops[next] as number];
    const [leftX, rightX] = [places[next - 1] as number, places[next] as number];
    return leftX + ((ms - left) / (right - left)) * (rightX - leftX);
  };
}

const isIn = (stops: readonly number[], index: number, { fromMs, toMs }: Need): boolean => (stops[index] as number) >= fromMs - SAME_MS && (stops[index + 1] as number) <= toMs + SAME_MS;

/** The gaps, none less than its room, times what makes them fill the width. */
function fill(gaps: readonly number[], room: number, width: number): number[] {
  const times = (factor: number): number[] => gaps.map((gap) => Math.max(room, factor * gap));
  let [low, high] = [0, width];
  for (let round = 0; round < 50; round += 1) {
    const middle = (low + high) / 2;
    if (times(middle).reduce((sum, gap) => sum + gap, 0) > width) high = middle;
    else low = middle;
  }
  return times(low);
}
