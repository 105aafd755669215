import { GATE_NAMES, type GateName } from '../../../evidence/gate-names.ts';
import { WITNESS_WORDS } from '../../../evidence/witness-words.ts';
import type { State } from '../explanation.ts';
import { STATE_SIGNS, STATE_TEXTS } from '../state-words.ts';
import { tellTime } from '../timeline/clock.ts';
import type { Look } from '../timeline/mark.ts';
import { GUTTER, LETTER, STEP_ROW, WIDTH, type Band, type Box, type PlacedLane, type PlacedProof, type PlacedStep } from './layout.ts';
import { BADGE } from './place-labels.ts';
import { element, type Child, type Markup } from './markup.ts';

/** How a picture points into the page around it; alone it points nowhere. */
export interface Links {
  mark(key: string): string | null;
  gate(name: GateName): string | null;
}

export const gateNumber = (name: GateName): number => GATE_NAMES.indexOf(name) + 1;

const linked = (href: string | null, ...children: readonly Child[]): Markup => element(href === null ? 'g' : 'a', href === null ? {} : { href }, ...children);

/** What stands to the left of a band: the names of its lanes and who witnessed them. */
export function drawGutter(band: Band): Markup {
  return element('g', {}, ...band.lanes.map(({ lane, y, height }) => [
    element('text', { class: 'lane', x: 8, y: y + Math.min(height, 26) / 2 + 1 }, lane.title),
    element('text', { class: 'wit', x: 8, y: y + Math.min(height, 26) / 2 + 14 }, WITNESS_WORDS[lane.witness].name),
  ]));
}

export function drawBand(band: Band, stateOf: (name: GateName) => State, links: Links): Markup {
  const { y, height, lanes, proofs, steps, x } = band;
  return element('g', {},
    ...steps.map((step, index) => drawStep(band, step, index)),
    ...lanes.map((lane) => element('path', { class: 'rule', d: `M${GUTTER} ${lane.y - 5}H${WIDTH}` })),
    drawRuler(band),
    ...lanes.map((lane) => element('g', { class: 'lanebody', 'data-lane': lane.lane.id }, drawCrowd(band, lane), ...lane.boxes.map((box) => drawMark(box, band, links)))),
    ...proofs.map((proof) => drawLines(proof, stateOfProof(proof, stateOf))),
    // over the lines, which would cut through their letters
    ...lanes.flatMap(({ boxes }) => boxes).map(drawLabel),
    ...proofs.map((proof) => drawBadge(proof, stateOfProof(proof, stateOf), links)),
    element('path', { class: 'rule', d: `M${x(band.fromMs)} ${y + height}H${x(band.toMs)}` }));
}

function drawStep({ x, y, height, fromMs, toMs }: Band, { span: { step, title, sentence, fromMs: from, toMs: to }, row }: PlacedStep, index: number): Markup {
  const top = y + 20 + row * STEP_ROW;
  const [left, right] = [x(Math.max(from, fromMs)), x(Math.min(to, toMs))];
  const lasted = Number.isFinite(to) ? `${((to - from) / 1000).toFixed(1)} s` : 'broke off';
  const fits = (text: string): boolean => text.length * LETTER < right - left - 4;
  // as the plan and the log name it
  const named = `${step} · ${lasted}`;
  const below = step.replaceAll('-', ' ') !== title && fits(named) ? named : lasted;
  return element('g', {},
    element('title', {}, `${step}: ${sentence}: ${tellTime(from)}, ${lasted}`),
    index % 2 === 0 ? element('rect', { class: 'alt', x: left, y: top, width: right - left, height: y + height - top }) : null,
    element('path', { class: 'rule', d: `M${left.toFixed(1)} ${top}V${y + height}` }),
    fits(title) ? element('text', { class: 'step', x: left + 4, y: top + 14 }, title) : null,
    fits(below) ? element('text', { class: 'tick', x: left + 4, y: top + 27 }, below) : null);
}

/** Whole seconds, so that it can be seen how far time is stretched. */
function drawRuler({ x, y, headHeight, fromMs, toMs }: Band): Markup {
  const ticks: string[] = [];
  const words: Markup[] = [];
  const bottom = y + headHeight - 5;
  let last = Number.NEGATIVE_INFINITY;
  for (let second = Math.ceil(Math.max(0, fromMs) / 1000); second * 1000 <= toMs; second += 1) {
    const at = x(second * 1000);
    ticks.push(`M${at.toFixed(1)} ${bottom}v${second % 5 === 0 ? -6 : -3}`);
    if (second % 5 === 0 && at - last > 34 && at < WIDTH - 26) {
      words.push(element('text', { class: 'tick', x: at + 2, y: bottom - 1 }, `${second} s`));
      last = at;
    }
  }
  return element('g', {}, element('path', { class: 'rule', d: ticks.join('') }), ...words);
}

function drawCrowd({ x, fromMs, toMs }: Band, { lane, y, height }: PlacedLane): Markup | null {
  if (lane.crowd === undefined) return null;
  const bins = new Map<number, number>();
  for (const ms of lane.crowd) if (ms >= fromMs && ms < toMs) bins.set(Math.floor(x(ms) / 3), (bins.get(Math.floor(x(ms) / 3)) ?? 0) + 1);
  const base = y + height - 2;
  const bars = [...bins].sort(([left], [right]) => left - right).map(([bin, count]) => `M${bin * 3} ${base}v-${Math.min(14, 1 + Math.log2(count) * 2.4).toFixed(1)}h2.4V${base}z`);
  return element('g', {}, element('title', {}, `all requests that the API server logged: ${[...bins.values()].reduce((sum, each) => sum + each, 0)} in this stretch; the taller, the more at once`), element('path', { class: 'crowd', d: bars.join('') }));
}

function isMoment({ fromMs, toMs, look }: Box['mark']): boolean {
  return fromMs === toMs && look !== 'solid' && look !== 'hatched';
}

function drawMark(box: Box, { fromMs, toMs, x }: Band, links: Links): Markup {
  const { mark, fromX, toX, y, height } = box;
  const width = Math.max(2.5, toX - fromX);
  const when = isMoment(mark) ? tellTime(mark.fromMs) : `${tellTime(mark.fromMs)} to ${Number.isFinite(mark.toMs) ? tellTime(mark.toMs) : 'the end'}`;
  const parts = (mark.parts ?? []).filter((part) => part.fromMs < toMs && part.toMs > fromMs).map((part) => drawPart(part.look, x(Math.max(fromMs, part.fromMs)), x(Math.min(toMs, part.toMs)), y, height));
  const body = isMoment(mark) ? drawMoment(mark.look, mark.label, fromX, y, height) : [drawPart(mark.look, fromX, fromX + width, y, height), ...parts];
  return element('g', { class: `mark k${mark.credential}` }, linked(links.mark(mark.key), element('title', {}, `${mark.words}\n${when}\n${WITNESS_WORDS[mark.witness].name}, observation ${tellNumbers(mark.seqs)}`), body));
}

/** Some of many numbers. */
export function tellNumbers(seqs: readonly number[]): string {
  return seqs.length <= 6 ? seqs.join(', ') : `${seqs.slice(0, 5).join(', ')} and ${seqs.length - 5} more`;
}

function drawPart(look: Look, fromX: number, toX: number, y: number, height: number): Child {
  const width = Math.max(1, toX - fromX);
  const box = element('rect', { class: `box${look === 'waiting' ? ' wait' : ''}`, x: fromX, y, width, height, rx: 2 });
  if (look === 'hatched') return [box, hatch(fromX, toX, y, height, 5, 1)];
  return look === 'ending' ? [box, hatch(fromX, toX, y, height, 3, -1)] : box;
}

/** Slanted lines, drawn one by one: a pattern's name could be another's in the page. */
function hatch(fromX: number, toX: number, y: number, height: number, step: number, slant: 1 | -1): Markup {
  const lines: string[] = [];
  for (let x = fromX + step / 2; x < toX - 1; x += step) {
    const run = Math.min(height, toX - 1 - x);
    lines.push(slant === 1 ? `M${x.toFixed(1)} ${y + height}l${run.toFixed(1)}-${run.toFixed(1)}` : `M${x.toFixed(1)} ${y}l${run.toFixed(1)} ${run.toFixed(1)}`);
  }
  return element('path', { class: 'hat', d: lines.join('') });
}

function drawMoment(look: Look, label: string, x: number, y: number, height: number): Child {
  const middle = y + height / 2;
  switch (look) {
    case 'tick':
      return element('path', { class: 'hat', d: `M${x.toFixed(1)} ${y}v${height}` });
    case 'square':
      return [element('rect', { class: 'dot', x: x - 6, y: middle - 6.5, width: 12, height: 13, rx: 1.5 }), element('text', { class: 'sq', x, y: middle + 3.5 }, label)];
    case 'diamond':
      return element('path', { class: 'dot', d: `M${x.toFixed(1)} ${middle - 6}l6 6l-6 6l-6-6z` });
    case 'cross':
      return [element('path', { class: 'x', d: noEntry(x, middle) }), label === '' ? null : element('text', { class: 'lab out', x: x + 7, y: middle + 4 }, label)];
    case 'number':
      return [element('circle', { class: 'num', cx: x, cy: middle, r: 6.5 }), element('text', { class: 'mid', x, y: middle + 3.5 }, label)];
    default:
      return element('circle', { class: 'dot', cx: x, cy: middle, r: 4 });
  }
}

/** A refusal is what many of these requests had to meet: a sign of its own, and no colour of what failed. */
export function noEntry(x: number, y: number): string {
  return `M${(x - 4.5).toFixed(1)} ${y}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0zm1.4 3.1l6.2-6.2`;
}

function drawLabel({ mark, label, y, height }: Box): Child {
  if (label === null || isMoment(mark)) return null;
  const look = label.side === 'in' ? `in${label.isWaiting === true ? ' wait' : ''}` : 'out';
  return element('g', { class: `label k${mark.credential}` }, element('text', { class: `lab ${look}`, x: label.x, y: y + height / 2 + 3.8, 'text-anchor': label.side === 'before' ? 'end' : null }, label.text));
}

/** Of an order that carries several gates the least of what these came to. */
function stateOfProof({ proof: { gates } }: PlacedProof, stateOf: (name: GateName) => State): State {
  const states = gates.map(stateOf);
  return states.find((state) => state === 'fails') ?? states.find((state) => state !== 'holds') ?? 'holds';
}

/** What nobody has judged, or could here, is drawn neither as held nor as failed. */
export const PROOF_LOOKS: Readonly<Record<State, string>> = { holds: 'proof', fails: 'proof not', open: 'proof unknown', unproven: 'proof unknown', unjudged: 'proof unknown' };
const classOf = ({ gates }: PlacedProof['proof'], state: State): string => `${PROOF_LOOKS[state]} ${gates.map((name) => `g${gateNumber(name)}`).join(' ')}`;
const wordsOf = ({ gates, words }: PlacedProof['proof'], state: State): string => `${gates.join(', ')}: ${words}${state === 'holds' ? '' : ` (${STATE_TEXTS[state]})`}`;

function drawLines({ proof, fromX, fromBox, toX, toBox, labelX, labelY }: PlacedProof, state: State): Markup {
  const [fromY, toY] = [fromBox.y + fromBox.height / 2, toBox.y + toBox.height / 2];
  const isSameLane = Math.abs(fromBox.y - toBox.y) <= fromBox.height + 4;
  const lines = fromBox.y === toBox.y
    ? element('path', { d: `M${fromX.toFixed(1)} ${toBox.y - 1}V${labelY + 13}H${toX.toFixed(1)}V${toBox.y - 1}` })
    : [element('path', { d: isSameLane ? besideTo(fromX, fromY, toX, toY) : downTo(fromX, fromY < toY ? fromBox.y + fromBox.height : fromBox.y, toX, toY) }), element('path', { class: 'head', d: `M${(toX - 6).toFixed(1)} ${toY - 4}l6 4l-6 4z` }), element('path', { class: 'lead', d: `M${labelX.toFixed(1)} ${labelY + 12}V${Math.max(labelY + 12, Math.min(fromY, toY)).toFixed(1)}` })];
  return element('g', { class: classOf(proof, state) }, element('title', {}, wordsOf(proof, state)), lines);
}

function drawBadge({ proof, labelX, labelY, isNamed }: PlacedProof, state: State, links: Links): Markup {
  const [gate] = proof.gates as readonly [GateName];
  const badges = proof.gates.map((name, index) => badge(gateNumber(name), labelX + index * BADGE - 1, labelY));
  const name = isNamed ? element('text', { class: 'name', x: labelX + proof.gates.length * BADGE, y: labelY + 10 }, `${state === 'holds' ? '' : `${STATE_SIGNS[state]} `}${gate}`) : null;
  return element('g', { class: classOf(proof, state) }, linked(links.gate(gate), element('title', {}, wordsOf(proof, state)), badges, name));
}

export function badge(number: number, x: number, y: number): readonly Markup[] {
  return [element('rect', { class: 'badge', x, y, width: 17, height: 12, rx: 3 }), element('text', { class: 'bt', x: x + 8.5, y: y + 9.5 }, String(number))];
}

/** From the end of one to the beginning of the other, in the next row. */
function besideTo(fromX: number, fromY: number, toX: number, toY: number): string {
  return `M${fromX.toFixed(1)} ${fromY}H${((fromX + toX) / 2).toFixed(1)}V${toY}H${(toX - 4).toFixed(1)}`;
}

/** Through the lanes where it begins, then along to where it ends. */
function downTo(fromX: number, fromY: number, toX: number, toY: number): string {
  return `M${fromX.toFixed(1)} ${fromY}V${toY}H${(toX - 4).toFixed(1)}`;
}
