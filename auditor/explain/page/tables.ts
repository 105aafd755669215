import { STEP_WORDS } from '../../../evidence/step-words.ts';
import { WITNESS_WORDS } from '../../../evidence/witness-words.ts';
import type { State, ToldObservation, ToldRule, ToldVerdict } from '../explanation.ts';
import { element, type Child, type Markup } from '../picture/markup.ts';
import { STATE_SIGNS, STATE_TEXTS, wordsWithoutObservations } from '../state-words.ts';
import { tellTime } from '../timeline/clock.ts';
import { breakable } from './breakable.ts';

const HEADS: Readonly<Record<ToldVerdict['kind'], readonly string[]>> = { gate: ['#', 'Gate', 'What it means'], probe: ['Probe', 'What it means'] };

/** Gates or probes, each with what it means and, folded, everything that it rests on. */
export function verdictTable(verdicts: readonly ToldVerdict[], caption: string, drawn: ReadonlySet<number>): Markup {
  const heads = HEADS[verdicts[0]?.kind ?? 'gate'];
  return element('table', {}, element('caption', { class: 'skip' }, caption), element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))), element('tbody', {}, ...verdicts.map((each) => row(each, drawn))));
}

/** All of them at a glance: sign, number and name of each. */
export function overview(verdicts: readonly ToldVerdict[]): Markup {
  return element('ul', { class: 'chips' }, ...verdicts.map(({ name, number, state }) => element('li', {}, element('span', { class: `state ${state}` }, STATE_SIGNS[state]), element('span', { class: 'num' }, String(number)), element('a', { href: `#gate-${number}` }, breakable(name)), state === 'holds' || state === 'open' || state === 'unjudged' ? null : element('span', { class: 'quiet' }, ` ${STATE_TEXTS[state]}`))));
}

function row(verdict: ToldVerdict, drawn: ReadonlySet<number>): Markup {
  const { kind, name, number, title, state, proves, doesNotProve, witnesses, rules } = verdict;
  return element('tr', { id: kind === 'gate' ? `gate-${number}` : `probe-${name}` },
    kind === 'gate' ? element('td', {}, element('span', { class: 'num' }, String(number))) : null,
    element('td', { class: 'who' }, element('code', {}, breakable(name)), element('p', { class: 'quiet' }, title), element('p', { class: `state ${state}` }, `${STATE_SIGNS[state]} ${STATE_TEXTS[state]}`), number !== null && drawn.has(number) ? element('a', { class: 'goes', href: `#marks-${number}`, 'aria-label': `${name} in the picture` }, 'show in the picture') : null),
    element('td', {},
      element('p', {}, inCode(proves)),
      element('p', { class: 'quiet' }, element('strong', {}, 'Not proven: '), inCode(`${doesNotProve.charAt(0).toLowerCase()}${doesNotProve.slice(1)}`)),
      witnesses.length === 0 ? null : element('p', { class: 'quiet' }, `Seen by: ${witnesses.map((witness) => WITNESS_WORDS[witness].name).join(', ')}.`),
      rules.length === 0 ? null : element('details', state === 'fails' ? { open: '' } : {}, element('summary', {}, summaryOf(rules, state)), element('ul', { class: 'rules' }, ...rules.map((each) => rule(each, state))))));
}

/** A rule of what was left undecided is not known to be unmet. */
function summaryOf(rules: readonly ToldRule[], state: State): string {
  const met = rules.filter(({ met: isMet }) => isMet).length;
  if (met === rules.length) return `${met} rule${met === 1 ? ' is' : 's are'} met, and by what`;
  return `${rules.length - met} of ${rules.length} rules ${state === 'fails' || state === 'holds' ? 'not met' : STATE_TEXTS[state]}`;
}

/** What was not observed stands against a gate that was judged; against another it says nothing. */
function rule(told: ToldRule, state: State): Markup {
  const { words, met, observations, moreObservations } = told;
  const why = wordsWithoutObservations(told);
  return element('li', {}, element('span', { class: met ? 'met' : state === 'fails' ? 'unmet' : 'wit' }, met ? '✓ ' : `${STATE_SIGNS[state]} not observed: `), breakable(words),
    element('ul', { class: 'seen' }, why === null ? null : element('li', { class: 'wit' }, why), ...observations.map((each) => element('li', {}, tell(each))), moreObservations > 0 ? element('li', { class: 'wit' }, `and ${moreObservations} more`) : null));
}

function tell({ seq, atMs, step, witness, words, times }: ToldObservation): Child {
  const title = step === null ? '' : `, ${STEP_WORDS[step as keyof typeof STEP_WORDS].title}`;
  return [element('span', { class: 'wit' }, `${WITNESS_WORDS[witness].name}, ${tellTime(atMs)}${title}: `), breakable(`${words}${times > 1 ? ` ×${times}` : ''} `), element('span', { class: 'wit' }, `[${seq}]`)];
}

/** Names between backticks, as the meanings have them. */
function inCode(text: string): Child {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, breakable(part)) : breakable(part)));
}
