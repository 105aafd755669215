import { isOfItsWait } from '../../evidence/failure-index.ts';
import { shortened } from '../../evidence/shortened.ts';
import { WITNESS_WORDS } from '../../evidence/witness-words.ts';
import { countsOf } from './caption.ts';
import type { Explanation, ToldObservation, ToldVerdict } from './explanation.ts';
import { findingsByCode } from './findings-by-code.ts';
import { STATE_SIGNS, STATE_TEXTS, wordsWithoutObservations } from './state-words.ts';
import { tellTime } from './timeline/clock.ts';

const MOST_COLUMNS = 110;
const INDENT = '      ';
const MOST_OF_A_CODE = 3;
const LONGEST_DETAIL = 240;
/** Of an observation, where all gates are told, and where some are named: whoever asks for one wants it whole, and evidence may be hostile. */
const [LONGEST_WORDS, LONGEST_OF_NAMED] = [160, 2_000];
/** What is longer is told in words once, and by its number afterwards. */
const LONG_WORDS = 80;

/** What is told beside the summary: everything, the gates and probes that are named, or no more. */
export interface Detail {
  readonly all: boolean;
  readonly names: readonly string[];
  /** Of the screen, where it is one. Without, a gate or a line of a log stays one line, for programs that look for it. */
  readonly columns?: number | undefined;
}

type Wrap = (text: string, indent?: string) => string[];

/** For a terminal or a mail. Everything that is not printable is taken out: the evidence may be hostile. */
export function renderText(explanation: Explanation, { all, names, columns }: Detail = { all: false, names: [] }): string {
  const { gates, probes } = explanation;
  const wrap: Wrap = (text, indent = INDENT) => wrapped(text, indent, Math.min(columns ?? MOST_COLUMNS, MOST_COLUMNS));
  const isNamed = names.length > 0;
  const lines = [...tellHead(explanation, wrap), ...(isNamed || all ? tellDetails([...gates, ...probes].filter(({ name }) => !isNamed || names.includes(name)), isNamed ? LONGEST_OF_NAMED : LONGEST_WORDS, wrap) : tellSummary(explanation, wrap))];
  return `${lines.map(printable).flatMap((line) => (columns === undefined ? [line] : folded(line, columns))).join('\n').trimEnd()}\n`;
}

function tellHead(explanation: Explanation, wrap: Wrap): string[] {
  const { headline, standing, findings, error, source } = explanation;
  const about = [explanation.fixture, explanation.platform, explanation.sourceRevision && `revision ${explanation.sourceRevision.slice(0, 12)}`, explanation.observedAt].filter((each) => typeof each === 'string');
  return [
    headline,
    ...(about.length === 0 ? [] : [about.join(' · ')]),
    ...(source === 'failure' ? [] : [countsOf(explanation)]),
    `States are ${standing}.`,
    ...findingsByCode(findings, MOST_OF_A_CODE).flatMap(({ code, count, details }) => [
      `! ${code}: ${count} finding${count === 1 ? '' : 's'}`,
      ...details.flatMap((detail) => wrap(shortened(detail, LONGEST_DETAIL))),
      ...(count > details.length ? [`${INDENT}and ${count - details.length} more (--json tells all)`] : []),
    ]),
    ...tellFailure(explanation),
    ...(error === null ? [] : ['', ...error.trimEnd().split('\n')]),
    '',
  ];
}

function tellSummary({ source, gates, probes, limitations }: Explanation, wrap: Wrap): string[] {
  if (source === 'failure') return tellWhatWasProven([...gates, ...probes], wrap);
  const unproven = [...gates, ...probes].filter(({ state }) => state === 'unproven');
  return [
    ...(unproven.length === 0 ? [] : ['Not provable on this platform:', ...wrap(unproven.map(({ name }) => name).join(', '), '  '), '']),
    ...(limitations.length === 0 ? [] : ['What the report itself excludes:', ...limitations.flatMap((each) => wrap(`- ${each}`, '  ')), '']),
    'Gates',
    ...gates.flatMap((each) => tellInALine(each, wrap)),
    ...(probes.length === 0 ? [] : ['', 'Probes: what had to be refused', ...probes.flatMap((each) => tellInALine(each, wrap))]),
    '',
    '--gate=NAME tells what one of them proves, what not, and all that it rests on; --all tells that of each.',
  ];
}

function tellInALine(verdict: ToldVerdict, wrap: Wrap): string[] {
  const { state, rules, witnesses, observationCount } = verdict;
  const seen = observationCount === 0 ? null : `${observationCount} observation${observationCount === 1 ? '' : 's'}: ${witnesses.map((witness) => WITNESS_WORDS[witness].name).join(', ')}`;
  const notes = [state === 'holds' ? null : STATE_TEXTS[state], seen].filter((each) => each !== null);
  const unmet = state === 'fails' ? rules.filter(({ met }) => !met).slice(0, 3) : [];
  return [`${heading(verdict)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`, ...unmet.flatMap(({ words }) => wrap(`not observed: ${words}`))];
}

function heading({ number, name, state, title, kind }: ToldVerdict): string {
  return `${STATE_SIGNS[state]} ${kind === 'gate' ? `${String(number).padStart(2)}  ` : ''}${name}: ${title}`;
}

/** Why a run failed matters more than what every gate means: names, and of what is open the first thing that was not seen. */
function tellWhatWasProven(told: readonly ToldVerdict[], wrap: Wrap): string[] {
  const of = (state: ToldVerdict['state']): readonly ToldVerdict[] => told.filter((each) => each.state === state);
  if (of('unjudged').length === told.length) return ['What had been proven by then is not known: the folder has no observation log (observations.jsonl).'];
  const [held, unproven] = [of('holds'), of('unproven')];
  return [
    held.length === 0 ? 'Nothing had been proven by then.' : `Proven by then: ${held.length} of ${told.length}.`,
    ...held.map((each) => `  ${STATE_SIGNS.holds} ${each.name}: ${each.title}`),
    ...(unproven.length === 0 ? [] : [`Not provable on this platform, whatever the run had come to: ${unproven.length}.`, ...wrap(unproven.map(({ name }) => name).join(', '), '  ')]),
    `Not known when the run ended: ${of('open').length}. Of each, the first thing that was not observed (--gate=NAME tells all):`,
    ...of('open').flatMap(({ name, rules }) => wrap(`${STATE_SIGNS.open} ${name}: ${rules.find(({ met }) => !met)?.words ?? 'anything'}`)),
  ];
}

/** Each whole: its meaning, its rules, and what was observed of each; a long observation that was told above is named by its number. */
function tellDetails(verdicts: readonly ToldVerdict[], mostWords: number, wrap: Wrap): string[] {
  const told = new Set<number>();
  const tell = (each: ToldObservation): string => {
    const isKnown = told.has(each.seq) && each.words.length > LONG_WORDS;
    told.add(each.seq);
    return isKnown ? `as told above: [${each.seq}]` : tellObservation(each, mostWords);
  };
  return verdicts.flatMap((verdict) => [
    `${heading(verdict)} (${STATE_TEXTS[verdict.state]})`,
    ...wrap(verdict.proves),
    ...wrap(`Not proven: ${verdict.doesNotProve.charAt(0).toLowerCase()}${verdict.doesNotProve.slice(1)}`),
    ...(verdict.rules.length === 0 ? wrap('What it rests on is in the bundle: explain that instead of the report.') : []),
    ...verdict.rules.flatMap((rule) => [
      ...wrap(`${STATE_SIGNS[rule.met ? 'holds' : verdict.state]} ${rule.words}`, '  '),
      ...[wordsWithoutObservations(rule)].flatMap((why) => (why === null ? [] : wrap(`(${why})`))),
      ...rule.observations.flatMap((each) => wrap(tell(each))),
      ...(rule.moreObservations > 0 ? [`${INDENT}and ${rule.moreObservations} more`] : []),
    ]),
    '',
  ]);
}

/** Steps by their names in the plan and in the log. */
function tellObservation({ seq, atMs, step, witness, words, times }: ToldObservation, mostWords: number): string {
  return `${WITNESS_WORDS[witness].name}, ${tellTime(atMs)}${step === null ? '' : `, ${step}`}: ${shortened(words, mostWords)}${times > 1 ? ` ×${times}` : ''} [${seq}]`;
}

function tellFailure({ failure }: Explanation): string[] {
  if (failure === null) return [];
  const { step, expectation, causes, lines } = failure;
  const waited = expectation === null ? [] : [`It waited ${(expectation.waitedMs / 1000).toFixed(1)} s for: ${expectation.expected}`, `Last seen: ${expectation.lastSeen === null ? 'nothing' : `${expectation.lastSeen.text} (${tellTime(expectation.lastSeen.atMs)})`}`];
  const why = causes.flatMap(({ code, message }, index) => linesOf(`${index === 0 ? '' : 'because: '}${code === null ? '' : `${code}: `}${message}`));
  return [
    '',
    // its title stands in the headline
    ...(step === null ? [] : [`Step ${step.id} began ${tellTime(step.startedMs)}.`]),
    ...(isOfItsWait(failure) ? [...waited, ...why] : [...why, ...waited]),
    ...(lines === null ? [] : [`${lines.of}:`, ...lines.lines.flatMap((line) => line.split('\n')).filter((line) => line.trim() !== '').map((line) => `  | ${line}`)]),
  ];
}

/** Each line of it a line, those after the first below it. */
function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '').map((line, index) => (index === 0 ? line : `${INDENT}${line.trimEnd()}`));
}

function wrapped(text: string, indent: string, columns: number): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    if (line.length + word.length > columns && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = `${indent}  `;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}

/** A line that is wider than the screen goes on below itself, and does not break where the screen ends. */
function folded(line: string, columns: number): string[] {
  const [indent] = /^ *(?:\| )?/.exec(line) ?? [''];
  return line.length <= columns ? [line] : wrapped(line.slice(indent.length), indent, columns);
}

/** A terminal obeys control characters, and some characters turn the direction of what follows. */
function printable(line: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return line.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');
}
