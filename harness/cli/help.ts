import { styleText } from 'node:util';
import { textWidth } from './columns.ts';
import type { Command, Example, OptionData } from './command.ts';
import { COMMON_OPTIONS } from './parse-arguments.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { CALL, PROGRAM } from './program.ts';
import { wrap } from './wrap.ts';

const TITLE = 'proves that a Qinglong 3 Worker survives the replacement of its credential, its TLS identity and its Pod';
/** Where no screen says how wide it is. */
const LINE_LENGTH = 110;
/** What stands left of its description on a screen that is not wide. */
const NARROW_LEFT = 24;
/** More would hide the option among them. */
const MOST_CHOICES = 4;

export const FIRST_STEPS: readonly Example[] = [
  { command: 'npx ql3-evidence doctor', shows: 'whether this machine can run it, and what to do if not' },
  { command: 'npx ql3-evidence rehearse --report=$HOME/ql3/rehearsal.json', shows: 'the whole contract without Docker' },
  { command: 'npx ql3-evidence audit --report=$HOME/ql3/rehearsal.json --profile=rehearsal', shows: 'whether its report may be believed' },
  { command: 'npx ql3-evidence explain $HOME/ql3/rehearsal.json', shows: 'what the report says, for people' },
];

/** The help of all, on a screen of so many columns. */
export function describeProgram(commands: readonly Command[], columns: number | null = null): string {
  const length = textWidth(columns, LINE_LENGTH);
  return paragraphs(
    `usage: ${CALL} COMMAND [OPTIONS]`,
    wrap(`${PROGRAM} ${TITLE}`, length).join('\n'),
    section('commands', rows(commands.map(({ name, summary }) => [name, summary]), length)),
    section('examples', examples(FIRST_STEPS, length)),
    section('exit codes', rows(Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]), length)),
    `${CALL} help COMMAND tells more of one.`,
  );
}

/** The help of one. */
export function describeCommand({ name, description, usage, examples: shown, options, positionals, exits = {} }: Command, columns: number | null = null): string {
  const length = textWidth(columns, LINE_LENGTH);
  const common = Object.entries(COMMON_OPTIONS);
  return paragraphs(
    usageLines({ name, usage }).map((line, index) => `${index === 0 ? 'usage:' : '      '} ${line}`).join('\n'),
    ...description.map((paragraph) => wrap(paragraph, length).join('\n')),
    section('words', rows(positionals.map((word) => [word.name, word.description]), length)),
    section('options', rows([...Object.entries(options), ...common].map(([option, data]) => [`${option === 'help' ? '-h, ' : ''}--${option}${valueOf(data)}`, data.description]), length)),
    ...Object.entries(options).filter(([, { choices = [] }]) => choices.length > MOST_CHOICES).map(([option, { value = '', choices = [] }]) => section(`${value} of --${option}`, choices.map((choice) => `  ${choice}`).join('\n'))),
    section('examples', examples(shown, length)),
    section('exit codes', rows(Object.entries(exits).map(([code, meaning]) => [code, meaning]), length)),
  );
}

/** Each way to call it; a line that begins with a space goes on with the one before. */
export function usageLines({ name, usage }: Pick<Command, 'name' | 'usage'>): readonly string[] {
  const called = `${CALL} ${name} `;
  return usage.map((line) => (line.startsWith(' ') ? `${' '.repeat(called.length)}${line.trimStart()}` : `${called}${line}`).trimEnd());
}

function paragraphs(...texts: readonly string[]): string {
  return `${texts.filter((text) => text !== '').join('\n\n')}\n`;
}

function valueOf({ value, choices = [] }: OptionData): string {
  if (value === undefined) return '';
  return `=${choices.length === 0 || choices.length > MOST_CHOICES ? value : choices.join('|')}`;
}

/** Help goes to stderr: bold there where it is a terminal, as NO_COLOR and FORCE_COLOR say. */
function section(title: string, body: string): string {
  return body === '' ? '' : `${styleText('bold', title, { stream: process.stderr })}\n${body}`;
}

/** Commands stay whole: they are to be pasted. */
function examples(all: readonly Example[], length: number): string {
  return all.map(({ command, shows }) => [`  ${command}`, ...wrap(shows, length - 6).map((line) => `      ${line}`)].join('\n')).join('\n');
}

/** Two columns, the second one wrapped. */
function rows(cells: readonly (readonly [string, string])[], length: number): string {
  const width = Math.min(length < LINE_LENGTH ? NARROW_LEFT : 32, Math.max(0, ...cells.map(([left]) => left.length)));
  return cells
    .map(([left, right]) => {
      const lines = wrap(right, length - width - 4);
      const indent = `\n${' '.repeat(width + 4)}`;
      return `  ${left.padEnd(width)}${left.length > width ? indent : '  '}${lines.join(indent)}`;
    })
    .join('\n');
}
