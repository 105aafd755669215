import type { Lane, Mark, Proof, StepSpan, Timeline } from '../timeline/mark.ts';
import { placeLabels, type PlacedLabel } from './place-labels.ts';
import { timeScale, type Need, type TimeScale } from './time-scale.ts';

export const WIDTH = 1180;
export const GUTTER = 108;
export const [PLOT_FROM, PLOT_TO] = [GUTTER + 10, WIDTH - 14] as const;
const [ROW, THIN_ROW, STRIP, LANE_GAP] = [18, 7, 15, 9];
const [BAND_HEAD, BAND_GAP] = [68, 20];
/** Two lines of text: a step's title and how long it lasted. */
export const STEP_ROW = 30;
/** An arrow from one row to the next leaves and arrives so near. */
const PAST_ARROW = 16;
/** What a letter takes, at most: fonts differ. */
export const LETTER = 6.7;

export interface Box {
  readonly mark: Mark;
  readonly fromX: number;
  readonly toX: number;
  readonly y: number;
  readonly height: number;
  /** Where its label stands: within it, behind it, before it, or nowhere. */
  readonly label: { readonly text: string; readonly x: number; readonly side: 'in' | 'after' | 'before'; /** Within, on the part that waits. */ readonly isWaiting?: boolean } | null;
}
export interface PlacedProof extends PlacedLabel {
  readonly fromX: number;
  readonly fromBox: Box;
  readonly toX: number;
  readonly toBox: Box;
  readonly labelY: number;
}
export interface PlacedLane {
  readonly lane: Lane;
  readonly y: number;
  readonly height: number;
  readonly boxes: readonly Box[];
}
export interface PlacedStep {
  readonly span: StepSpan;
  /** Counted from the top: a step that begins before its predecessors end stands below them. */
  readonly row: number;
}
export interface Band {
  readonly title: string;
  readonly y: number;
  readonly height: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly x: TimeScale;
  readonly steps: readonly PlacedStep[];
  /** What stands above the lanes: rows of steps, then the ruler. */
  readonly headHeight: number;
  readonly lanes: readonly PlacedLane[];
  readonly proofs: readonly PlacedProof[];
}
export interface BandPlan {
  readonly title: string;
  readonly steps: readonly StepSpan[];
}

/** Places everything, a band of time below the other. */
export function layOut(timeline: Timeline, wanted: readonly BandPlan[], top: number): { readonly bands: readonly Band[]; readonly bottom: number } {
  const plans = withoutEmpty(timeline, wanted);
  const bands: Band[] = [];
  let y = top;
  plans.forEach((plan, index) => {
    const fromMs = bands.at(-1)?.toMs ?? plan.steps[0]?.fromMs ?? 0;
    const toMs = plans[index + 1]?.steps[0]?.fromMs ?? timeline.endMs;
    const band = layOutBand(timeline, plan, fromMs, toMs, y);
    bands.push(band);
    y += band.height + BAND_GAP;
  });
  return { bands, bottom: y };
}

/** A run may end when a band has begun and nothing of it was seen yet: its steps then stand in the one before. */
function withoutEmpty(timeline: Timeline, plans: readonly BandPlan[]): readonly BandPlan[] {
  const [before, last] = [plans.at(-2), plans.at(-1)];
  if (before === undefined || last === undefined || lanesBetween(timeline, last.steps[0]?.fromMs ?? 0, timeline.endMs).length > 0) return plans;
  return [...plans.slice(0, -2), { title: before.title, steps: [...before.steps, ...last.steps] }];
}

/** Those in which something changes meanwhile. */
function lanesBetween({ lanes }: Timeline, fromMs: number, toMs: number): readonly Lane[] {
  return lanes.map((lane) => within(lane, fromMs, toMs)).filter(({ rows }) => rows.some((row) => row.some((mark) => changes(mark, fromMs, toMs))));
}

function layOutBand(timeline: Timeline, plan: BandPlan, fromMs: number, toMs: number, y: number): Band {
  const lanes = lanesBetween(timeline, fromMs, toMs);
  const x = timeScale(instantsOf(lanes, plan.steps).filter((ms) => ms >= fromMs && ms <= toMs).concat(fromMs, toMs), PLOT_FROM, PLOT_TO, needsOf(plan.steps, lanes));
  const homes = new Map(lanes.flatMap((lane) => lane.rows.flat().map((mark) => [mark.key, { lane: lane.id, mark }] as const)));
  const instantOf = ({ key, end }: Proof['from']): number => (end === 'from' ? homes.get(key)?.mark.fromMs : homes.get(key)?.mark.toMs) ?? Number.NaN;
  const proofs = timeline.proofs.filter(({ from, to }) => [from, to].every((anchor) => instantOf(anchor) >= fromMs && (instantOf(anchor) <= toMs || (from.key === to.key && instantOf(from) <= toMs))));
  const named = new Set<string>();
  const placed: PlacedLane[] = [];
  const labels: (PlacedLabel & { readonly labelY: number })[] = [];
  const steps = placeSteps(plan.steps);
  const headHeight = BAND_HEAD + Math.max(0, ...steps.map(({ row }) => row)) * STEP_ROW;
  let laneY = y + headHeight;
  for (const lane of lanes) {
    const own = placeLabels(proofs.filter(({ to }) => homes.get(to.key)?.lane === lane.id), ({ from, to }) => Math.min(x(instantOf(from)), x(instantOf(to))), named, WIDTH);
    labels.push(...own.labels.map((label) => ({ ...label, labelY: laneY + label.strip * STRIP })));
    const rowsY = laneY + own.strips * STRIP;
    const boxes = boxesOf(lane, x, fromMs, toMs, rowsY);
    const height = Math.max(28, (boxes.length === 0 ? rowsY : Math.max(...boxes.map((box) => box.y + box.height)) + 3) + (lane.crowd === undefined ? 0 : ROW) - laneY);
    placed.push({ lane, y: laneY, height, boxes });
    laneY += height + LANE_GAP;
  }
  const byKey = new Map(placed.flatMap(({ boxes }) => boxes).map((box) => [box.mark.key, box]));
  return { title: plan.title, y, height: laneY - y, fromMs, toMs, x, steps, headHeight, lanes: placed, proofs: labels.flatMap((label) => connect(label, byKey)) };
}

/** Each in the first row that is free when it begins. */
function placeSteps(steps: readonly StepSpan[]): PlacedStep[] {
  const ends: number[] = [];
  return steps.map((span) => {
    const row = [...ends, Number.NEGATIVE_INFINITY].findIndex((end) => end <= span.fromMs);
    ends[row] = span.toMs;
    return { span, row };
  });
}

/** What of a lane is seen in a band; a moment at its very beginning belongs to the band before. */
function within(lane: Lane, fromMs: number, toMs: number): Lane {
  const isSeen = (mark: Mark): boolean => mark.fromMs <= toMs && (mark.toMs > fromMs || (mark.fromMs > fromMs && mark.toMs >= fromMs));
  return { ...lane, rows: lane.rows.map((row) => row.filter(isSeen)).filter((row) => row.length > 0) };
}

const changes = ({ fromMs: from, toMs: to }: Mark, fromMs: number, toMs: number): boolean => (from > fromMs && from <= toMs) || (to > fromMs && to <= toMs);

function instantsOf(lanes: readonly Lane[], steps: readonly StepSpan[]): number[] {
  const spans = lanes.flatMap(({ rows }) => rows.flat()).flatMap(({ fromMs, toMs, parts = [] }) => [{ fromMs, toMs }, ...parts]);
  return [...steps, ...spans].flatMap(({ fromMs, toMs }) => [fromMs, toMs]);
}

/** Room for the titles of steps, and for names that nothing else tells. */
function needsOf(steps: readonly StepSpan[], lanes: readonly Lane[]): Need[] {
  const titles = steps.map(({ fromMs, toMs, title }) => ({ fromMs, toMs: Number.isFinite(toMs) ? toMs : Number.MAX_VALUE, room: title.length * LETTER + 10 }));
  const names = lanes.flatMap(({ rows }) => rows.flat()).filter(({ isNamed, toMs }) => isNamed === true && Number.isFinite(toMs));
  return [...titles, ...names.map(({ fromMs, toMs, label }) => ({ fromMs, toMs, room: label.length * LETTER + 8 }))];
}

function boxesOf(lane: Lane, x: TimeScale, fromMs: number, toMs: number, rowsY: number): Box[] {
  const rowHeight = lane.isThin === true ? THIN_ROW : ROW;
  const place = (mark: Mark, row: number, others: readonly Mark[]): Box => {
    const [fromX, toX] = [x(Math.max(fromMs, mark.fromMs)), x(Math.min(toMs, mark.toMs))];
    // where a part begins or ends there is a line, which would cut through a name
    const lines = (mark.parts ?? []).flatMap((part) => [part.fromMs, part.toMs]).filter((ms) => ms > fromMs && ms < toMs && ms > mark.fromMs && ms < mark.toMs).map((ms) => [x(ms) - 3, x(ms)] as const);
    const obstacles = others.filter((other) => other !== mark && other.fromMs >= mark.fromMs && other.fromMs <= mark.toMs).map(({ fromMs: from, toMs: to }) => [x(from) - 8, x(Math.min(toMs, to)) + 8] as const);
    const waiting = (mark.parts ?? []).filter(({ look }) => look === 'waiting').map((part) => x(Math.min(toMs, part.toMs)));
    const label = lane.isThin === true ? null : placeLabel(mark, fromX, toX, [...lines, ...obstacles], lane.isPacked === true) ?? besideInRow(lane, mark, [fromX, toX], others.map((other) => [x(other.fromMs), x(Math.min(toMs, other.toMs))]));
    return { mark, fromX, toX, y: rowsY + row * rowHeight, height: rowHeight - (lane.isThin === true ? 2 : 3), label: label?.side === 'in' ? { ...label, isWaiting: mark.look === 'waiting' || waiting.some((end) => label.x < end) } : label };
  };
  if (lane.isPacked !== true) return lane.rows.flatMap((row, index) => row.map((mark) => place(mark, index, row)));
  const ends: number[] = [];
  let last = 0;
  return lane.rows.flat().toSorted((left, right) => left.fromMs - right.fromMs).map((mark) => {
    const box = place(mark, 0, lane.rows.flat().filter(({ look }) => look === 'ending'));
    const width = (box.label?.text.length ?? 0) * LETTER + 6;
    const [left, right] = [box.label?.side === 'before' ? box.fromX - width : box.fromX, box.label?.side === 'after' ? box.toX + width : box.toX];
    // what is a part of another lies in its row
    const row = mark.look === 'ending' ? last : [...ends, Number.NEGATIVE_INFINITY].findIndex((end) => end < left);
    ends[row] = Math.max(ends[row] ?? 0, right + 6);
    last = row;
    return { ...box, y: rowsY + row * rowHeight };
  });
}

/** In the first free stretch that is wide enough for it, or for its short form; else, where its lane allows it, beside it. */
function placeLabel({ label, shortLabel = '' }: Mark, fromX: number, toX: number, obstacles: readonly (readonly [number, number])[], mayBeBeside: boolean): Box['label'] {
  const stretches: (readonly [number, number])[] = [];
  let free = fromX;
  for (const [from, to] of [...obstacles.toSorted(([left], [right]) => left - right), [toX, toX] as const]) {
    stretches.push([free, from]);
    free = Math.max(free, to);
  }
  const roomOf = (text: string): number => text.length * LETTER + 6;
  const inside = (text: string): Box['label'] => {
    const found = text === '' ? undefined : stretches.find(([from, to]) => to - from >= roomOf(text));
    return found === undefined ? null : { text, x: found[0] + 4, side: 'in' };
  };
  const beside = (): Box['label'] => (toX + roomOf(label) < WIDTH ? { text: label, x: toX + 4, side: 'after' } : { text: label, x: fromX - 4, side: 'before' });
  if (label === '') return null;
  return inside(label) ?? (mayBeBeside ? beside() : inside(shortLabel));
}

/** Behind what is too short for its name, or before it: past the arrows at its ends, and with nothing else in the way. */
function besideInRow({ namesBeside }: Lane, { label, shortLabel = '' }: Mark, [fromX, toX]: readonly [number, number], others: readonly (readonly [number, number])[]): Box['label'] {
  if (namesBeside !== true) return null;
  for (const text of [label, shortLabel].filter((each) => each !== '')) {
    const room = text.length * LETTER + 6;
    const isFree = (left: number, right: number): boolean => left >= PLOT_FROM && right <= PLOT_TO && others.every(([from, to]) => to <= left || from >= right || (from >= fromX && to <= toX));
    if (isFree(toX + 1, toX + PAST_ARROW + room + PAST_ARROW)) return { text, x: toX + PAST_ARROW, side: 'after' };
    if (isFree(fromX - PAST_ARROW - room - PAST_ARROW, fromX - 1)) return { text, x: fromX - PAST_ARROW, side: 'before' };
  }
  return null;
}

function connect(label: PlacedLabel & { readonly labelY: number }, boxes: ReadonlyMap<string, Box>): PlacedProof[] {
  const { from, to } = label.proof;
  const [fromBox, toBox] = [boxes.get(from.key), boxes.get(to.key)];
  if (fromBox === undefined || toBox === undefined) return [];
  return [{ ...label, fromBox, toBox, fromX: from.end === 'from' ? fromBox.fromX : fromBox.toX, toX: to.end === 'from' ? toBox.fromX : toBox.toX }];
}
