import type { GateName } from '../../../evidence/gate-names.ts';
import { GATE_NAMES } from '../../../evidence/gate-names.ts';
import type { State } from '../explanation.ts';
import { drawBand, drawGutter, gateNumber, type Links } from '../picture/draw.ts';
import { GUTTER, layOut, WIDTH } from '../picture/layout.ts';
import { KEY } from '../picture/legend.ts';
import { element, type Markup } from '../picture/markup.ts';
import { plansOf } from '../picture/picture.ts';
import type { Timeline } from '../timeline/mark.ts';

/** The picture in its page: the lanes' names stay in sight while time is moved along under them. */
export function pictureInPage(timeline: Timeline, idOf: ReadonlyMap<string, string>, description: string, stateOf: (name: GateName) => State): Markup {
  const { bands, bottom } = layOut(timeline, plansOf(timeline), 6);
  const links: Links = { mark: (key) => (idOf.has(key) ? `#${idOf.get(key)}` : null), gate: (name) => `#gate-${gateNumber(name)}` };
  const height = Math.ceil(bottom);
  const named = new Set(timeline.proofs.flatMap(({ gates }) => gates));
  // what the table of gates leads to: one place for each gate that is drawn, at its first proof
  const places = GATE_NAMES.filter((name) => named.has(name)).flatMap((name) => {
    const first = bands.flatMap(({ proofs }) => proofs).find(({ proof }) => proof.gates.includes(name));
    return first === undefined ? [] : [element('rect', { id: `marks-${gateNumber(name)}`, x: first.labelX, y: first.labelY, width: 1, height: 1, 'fill-opacity': 0 })];
  });
  return element('figure', {},
    element('p', { class: 'sideways' }, 'Time goes on to the right: move the picture sideways →'),
    element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Timeline; move it sideways with the arrow keys' },
      element('svg', { class: 'pic gutter', viewBox: `0 0 ${GUTTER} ${height}`, width: GUTTER, height, preserveAspectRatio: 'xMinYMin slice', 'aria-hidden': 'true' }, element('rect', { class: 'bg', width: GUTTER, height }), ...bands.map(drawGutter)),
      element('svg', { class: 'pic plot', viewBox: `${GUTTER} 0 ${WIDTH - GUTTER} ${height}`, width: WIDTH - GUTTER, height, role: 'group', 'aria-labelledby': 'pt pd' },
        element('title', { id: 'pt' }, 'Timeline of the run'), element('desc', { id: 'pd' }, description),
        element('rect', { class: 'bg', x: GUTTER, width: WIDTH - GUTTER, height }),
        ...bands.flatMap((band) => [drawBand(band, stateOf, links), element('text', { class: 'band', x: GUTTER + 8, y: band.y + 13 }, band.title)]), ...places)),
    element('ul', { class: 'legend', 'aria-label': 'What colours and shapes mean' }, ...KEY.map(({ words, sign }) => element('li', {}, sign === null ? null : element('svg', { class: 'pic', viewBox: `0 0 ${sign.width} 14`, width: sign.width, height: 14, 'aria-hidden': 'true' }, sign.markup), element('span', {}, words)))),
    element('figcaption', {}, 'Everything is as its witness saw it, at the time that the witness gave. A colour is a credential: it can be followed from its approval down to the sessions that used it. ', element('span', { class: 'hint' }, 'Rest on a mark, or tap it, for what it is; a number leads to its gate.')));
}
