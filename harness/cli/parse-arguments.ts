import { parseArgs } from 'node:util';
import { HarnessError } from '../run/errors.ts';
import type { Command, GivenOptions, OptionData, Options, PositionalData } from './command.ts';
import { nearest } from './nearest.ts';
import { CALL } from './program.ts';
import { wrap } from './wrap.ts';

const MOST_TOLD = 8;
const LINE_LENGTH = 78;

/** What every command takes. */
export const COMMON_OPTIONS: Options = {
  json: { description: 'exactly one JSON document on stdout, also when it fails; talk stays on stderr' },
  help: { description: 'this text' },
};

export interface ParsedArguments {
  readonly options: GivenOptions<Options>;
  readonly words: readonly string[];
  readonly isHelp: boolean;
}

/** Whether JSON is asked for, even where the arguments are otherwise refused. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

/** Unknown options, missing and stray values and words are refused, with what may have been meant; so is an option given twice, where only one could count. */
export function parseArguments(command: Pick<Command, 'name' | 'options' | 'positionals'>, args: readonly string[]): ParsedArguments {
  const known: Options = { ...command.options, ...COMMON_OPTIONS };
  const config = Object.fromEntries(Object.entries(known).map(([name, { value }]) => [name, { type: value === undefined ? ('boolean' as const) : ('string' as const) }]));
  const { tokens } = parseArgs({ args: [...args], options: { ...config, help: { type: 'boolean', short: 'h' } }, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<string, string | boolean | readonly string[]>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (option === undefined) throw unknownOption(command.name, token.rawName, Object.keys(known));
    const [earlier, value] = [given.get(token.name), valueOf(command.name, token, option)];
    if (earlier !== undefined && option.isRepeatable !== true) throw new HarnessError('QL3_USAGE', `expected --${token.name} at most once`);
    given.set(token.name, option.isRepeatable === true ? [...(Array.isArray(earlier) ? earlier : []), String(value)] : value);
  }
  const isHelp = given.has('help');
  if (!isHelp) assertWords(command, words);
  const options = Object.fromEntries(Object.entries(known).map(([name, { value, isRepeatable }]) => [name, given.get(name) ?? (isRepeatable === true ? [] : value === undefined ? false : undefined)]));
  // a switch has true or false, an option with a value has it or undefined or a list of them, as its data says
  return { options: options as GivenOptions<Options>, words, isHelp };
}

function valueOf(command: string, { name, value, inlineValue }: { readonly name: string; readonly value: string | undefined; readonly inlineValue: boolean | undefined }, option: OptionData): string | boolean {
  if (option.value === undefined) {
    if (inlineValue === true) throw new HarnessError('QL3_USAGE', `expected --${name} without a value, got ${quote(value)}`);
    return true;
  }
  if (value === undefined || (inlineValue !== true && value.startsWith('-'))) throw new HarnessError('QL3_USAGE', `expected --${name}=${option.value}, got no value`);
  assertChoice(command, `--${name}`, value, option.choices);
  return value;
}

function assertWords({ name, positionals }: Pick<Command, 'name' | 'positionals'>, words: readonly string[]): void {
  const missing = positionals.slice(words.length).find(({ optional = false }) => !optional);
  if (missing !== undefined) throw new HarnessError('QL3_USAGE', `expected ${missing.name} (${missing.description}${missing.choices === undefined ? '' : `: ${eitherOf(missing.choices)}`}), got none; see ${CALL} ${name} --help`);
  words.forEach((word, index) => {
    const positional: PositionalData | undefined = positionals[index];
    if (positional === undefined) throw new HarnessError('QL3_USAGE', `expected ${positionals.length === 0 ? 'options alone' : `no more than ${positionals.length} word${positionals.length === 1 ? '' : 's'}`}, got ${quote(word)}; see ${CALL} ${name} --help`);
    assertChoice(name, positional.name, word, positional.choices);
  });
}

function assertChoice(command: string, what: string, value: string, choices: readonly string[] | undefined): void {
  if (choices === undefined || choices.includes(value)) return;
  const near = nearest(value, choices);
  if (choices.length <= MOST_TOLD) throw new HarnessError('QL3_USAGE', `expected ${what} to be ${eitherOf(choices)}, got ${quote(value)}${meant(near)}`);
  const all = near === null ? `; it knows\n${wrap(choices.join(' '), LINE_LENGTH).map((line) => `  ${line}`).join('\n')}` : `${meant(near)}; ${CALL} ${command} --help lists all ${choices.length}`;
  throw new HarnessError('QL3_USAGE', `${what} does not know ${quote(value)}${all}`);
}

function eitherOf(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
}

function unknownOption(command: string, rawName: string, known: readonly string[]): HarnessError {
  const name = nearest(rawName.replace(/^-+/, ''), known);
  return new HarnessError('QL3_USAGE', `unknown option ${quote(rawName)}${meant(name === null ? null : `--${name}`)}; see ${CALL} ${command} --help`);
}

export function meant(word: string | null): string {
  return word === null ? '' : `; did you mean ${word}?`;
}

function quote(given: string | undefined): string {
  return JSON.stringify(given?.slice(0, 200) ?? '');
}
