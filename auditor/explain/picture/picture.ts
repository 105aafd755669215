import type { GateName } from '../../../evidence/gate-names.ts';
import { PHASE_WORDS, type Phase } from '../../../evidence/step-words.ts';
import type { State } from '../explanation.ts';
import type { Timeline } from '../timeline/mark.ts';
import { drawBand, drawGutter, type Links } from './draw.ts';
import { layOut, WIDTH, type BandPlan } from './layout.ts';
import { drawGates, drawKey } from './legend.ts';
import { element } from './markup.ts';
import { colourRules, pictureRules } from './style.ts';

const ALONE: Links = { mark: () => null, gate: () => null };

export interface Caption {
  readonly title: string;
  readonly subtitle: string;
  /** The picture in words, for whoever does not see it. */
  readonly description: string;
}

/** Bands of time: the start with phase A, and phase B with the end. */
export function plansOf({ steps }: Timeline): readonly BandPlan[] {
  const halves: readonly (readonly Phase[])[] = [['start', 'A'], ['B', 'end']];
  return halves.map((phases) => ({ title: PHASE_WORDS[phases.find((each) => each === 'A' || each === 'B') ?? 'start'], steps: steps.filter(({ phase }) => phases.includes(phase as Phase)) })).filter((plan) => plan.steps.length > 0);
}

/** The picture as a file of its own. */
export function drawAlone(timeline: Timeline, { title, subtitle, description }: Caption, stateOf: (name: GateName) => State): string {
  const { bands, bottom } = layOut(timeline, plansOf(timeline), 62);
  const key = drawKey(bottom);
  const gates = drawGates(key.bottom + 6, stateOf);
  const height = Math.ceil(gates.bottom + 8);
  const svg = element('svg', { xmlns: 'http://www.w3.org/2000/svg', class: 'pic', viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height, role: 'img', 'aria-labelledby': 't d', lang: 'en' },
    element('title', { id: 't' }, title), element('desc', { id: 'd' }, description),
    element('style', {}, `${colourRules('.pic')}${pictureRules()}`),
    element('rect', { class: 'bg', width: WIDTH, height }),
    element('text', { class: 'title', x: 8, y: 26 }, title), element('text', { class: 'sub', x: 8, y: 46 }, subtitle),
    ...bands.flatMap((band) => [element('text', { class: 'band', x: 8, y: band.y + 13 }, band.title), drawGutter(band), drawBand(band, stateOf, ALONE)]),
    key.markup, gates.markup);
  return `${svg.text}\n`;
}

