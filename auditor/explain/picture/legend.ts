import { GATE_NAMES, type GateName } from '../../../evidence/gate-names.ts';
import type { State } from '../explanation.ts';
import { STATE_SIGNS, STATE_TEXTS } from '../state-words.ts';
import type { Look } from '../timeline/mark.ts';
import { badge, gateNumber, noEntry, PROOF_LOOKS } from './draw.ts';
import { LETTER, WIDTH } from './layout.ts';
import { element, type Child, type Markup } from './markup.ts';

const [LINE, COLUMNS] = [17, 3];
const [KEY_LINE, KEY_GAP] = [20, 10];

/** What one colour, shape or line means. */
export interface KeyEntry {
  readonly words: string;
  /** As wide as this, drawn at the origin and 14 high; null where words alone say it. */
  readonly sign: { readonly width: number; readonly markup: Markup } | null;
}

const box = (look: string): Markup => element('rect', { class: `box ${look}`, x: 0.5, y: 0.5, width: 26, height: 13, rx: 2 });

function entry(classes: string, words: string, dx: number, ...shapes: readonly Child[]): KeyEntry {
  return { words, sign: shapes.length === 0 ? null : { width: dx, markup: element('g', { class: classes }, ...shapes) } };
}

function proofEntry(state: State, words: string): KeyEntry {
  return entry(PROOF_LOOKS[state], words, 26, element('path', { d: 'M0 7H18' }), element('path', { class: 'head', d: 'M14 3l6 4l-6 4z' }));
}

/** Every look that a mark can have, but the solid one, which is told by its colour. */
const LOOKS: Readonly<Record<Exclude<Look, 'solid'>, KeyEntry>> = {
  waiting: entry('k0', 'waiting; a probe that is not judged', 31, box('wait')),
  ending: entry('k0', 'asked to end, draining', 31, box(''), element('path', { class: 'hat', d: 'M2 0l13 13M5 0l13 13M8 0l13 13M11 0l13 13M14 0l11 11M17 0l8 8' })),
  hatched: entry('k0', 'approval, access reviews, recovery, identity, claim; ✕ probe', 31, box(''), element('path', { class: 'hat', d: 'M1 13l12-12M6 13l12-12M11 13l12-12M16 13l9-9' })),
  tick: entry('k0', 'asked for; first heartbeat', 10, element('path', { class: 'hat', d: 'M4 0v14' })),
  dot: entry('k0', 'approved; read', 17, element('circle', { class: 'dot', cx: 7, cy: 7, r: 4 })),
  diamond: entry('k0', 'consumed', 17, element('path', { class: 'dot', d: 'M7 1l6 6l-6 6l-6-6z' })),
  square: entry('k0', 'replaced (Secret, Deployment)', 18, element('rect', { class: 'dot', x: 1, y: 0.5, width: 12, height: 13, rx: 1.5 })),
  number: entry('k0', 'ledger version; records found', 18, element('circle', { class: 'num', cx: 7, cy: 7, r: 6.2 })),
  cross: entry('k0', 'refused by the API server', 16, element('path', { class: 'x', d: noEntry(6, 7) })),
};

/** What colours and shapes mean. Each has words or a pattern beside its colour. */
export const KEY: readonly KeyEntry[] = [
  ...['no credential', 'credential 1', 'credential 2', 'credential 3', 'credential 4'].map((name, index) => entry(`k${index}`, name, 31, box(''))),
  ...Object.values(LOOKS),
  proofEntry('holds', 'order of a gate that holds'),
  proofEntry('fails', '✕ of one that does not hold'),
  proofEntry('open', '? not known when the run ended, – not provable here'),
  entry('', 'Probes: ✓ ended as it must, ✕ did not.', 0),
  entry('', 'Time is stretched where much happens: ticks are whole seconds.', 0),
];

/** All of it below a picture, in as many lines as it takes. */
export function drawKey(y: number): { readonly markup: Markup; readonly bottom: number } {
  let [x, top] = [8, y];
  const drawn = KEY.map(({ words, sign }) => {
    const dx = sign?.width ?? 0;
    const width = Math.ceil(dx + words.length * LETTER + 4);
    if (x + width > WIDTH) [x, top] = [8, top + KEY_LINE];
    const placed = element('g', { transform: `translate(${x} ${top})` }, sign?.markup ?? null, element('text', { class: 'key', x: dx, y: 11 }, words));
    x += width + KEY_GAP;
    return placed;
  });
  return { markup: element('g', {}, ...drawn), bottom: top + KEY_LINE + 6 };
}

/** The numbers of gates with their names and what they came to. */
export function drawGates(y: number, stateOf: (name: GateName) => State): { readonly markup: Markup; readonly bottom: number } {
  const lines = Math.ceil(GATE_NAMES.length / COLUMNS);
  const width = (WIDTH - 16) / COLUMNS;
  const rows = GATE_NAMES.map((name, index) => {
    const [x, top] = [8 + Math.floor(index / lines) * width, y + (index % lines) * LINE];
    const state = stateOf(name);
    return element('g', {}, ...badge(gateNumber(name), x, top), element('text', { class: `state ${state}`, x: x + 23, y: top + 10 }, STATE_SIGNS[state]), element('text', { class: 'key', x: x + 37, y: top + 10 }, `${name}${state === 'holds' ? '' : ` (${STATE_TEXTS[state]})`}`));
  });
  return { markup: element('g', {}, ...rows), bottom: y + lines * LINE };
}
