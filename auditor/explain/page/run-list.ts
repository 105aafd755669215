import { WITNESS_WORDS } from '../../../evidence/witness-words.ts';
import { element, type Markup } from '../picture/markup.ts';
import { tellTime } from '../timeline/clock.ts';
import type { Mark, StepSpan, Timeline } from '../timeline/mark.ts';
import { breakable } from './breakable.ts';

/** A name in the page for every mark, in the order of time. */
export function idsOf(timeline: Timeline): ReadonlyMap<string, string> {
  return new Map(inOrder(timeline).map(({ key }, index) => [key, `m${index + 1}`]));
}

function inOrder({ lanes }: Timeline): readonly Mark[] {
  return lanes.flatMap(({ rows }) => rows.flat()).toSorted((left, right) => left.fromMs - right.fromMs);
}

/** The picture as a list: the same marks step by step, for ears, phones and paper. */
export function runList(timeline: Timeline, ids: ReadonlyMap<string, string>): readonly Markup[] {
  const marks = inOrder(timeline);
  const { steps } = timeline;
  return steps.flatMap((step, index) => {
    const until = steps[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    const from = index === 0 ? Number.NEGATIVE_INFINITY : step.fromMs;
    return section(step, marks.filter(({ fromMs }) => fromMs >= from && fromMs < until), ids);
  });
}

function section({ step, title, sentence, fromMs, toMs }: StepSpan, marks: readonly Mark[], ids: ReadonlyMap<string, string>): Markup[] {
  const lasted = Number.isFinite(toMs) ? `${((toMs - fromMs) / 1000).toFixed(1)} s` : 'the run ended within it';
  return [
    element('h3', {}, `${title}: ${sentence} (step `, element('code', {}, step), `, ${lasted})`),
    element('ul', { class: 'run' }, ...marks.map(({ key, fromMs: at, toMs: end, words, witness }) => element('li', { id: ids.get(key) ?? null },
      element('span', { class: 'at' }, tellTime(at)), breakable(` ${words}`), end > at ? element('span', { class: 'wit' }, Number.isFinite(end) ? `, until ${tellTime(end)}` : ', to the end') : null, element('span', { class: 'wit' }, ` (${WITNESS_WORDS[witness].name})`)))),
  ];
}
