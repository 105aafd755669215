import type { Answer } from './answer.ts';

/** One option. With `value` it takes one, written `--name=VALUE`; without it is a switch. */
export interface OptionData {
  readonly description: string;
  /** What its value is called in the help, in capitals. */
  readonly value?: string;
  /** The only values that are accepted; they are completed too. */
  readonly choices?: readonly string[];
  /** It may be given more than once: what it has then is the list of its values, empty when it is not given. */
  readonly isRepeatable?: true;
  /** What completion offers for the value. */
  readonly completes?: 'file' | 'folder';
}

/** A word that is no option. Those that must be given come before those that need not. */
export interface PositionalData {
  /** What it is called in the help, in capitals. */
  readonly name: string;
  readonly description: string;
  readonly optional?: boolean;
  readonly choices?: readonly string[];
  readonly completes?: 'file' | 'folder';
}

export interface Example {
  readonly command: string;
  /** What it is good for, as a sentence without its full stop. */
  readonly shows: string;
}

export type Options = Readonly<Record<string, OptionData>>;

export type GivenOptions<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends { readonly isRepeatable: true } ? readonly ValueOf<O[Name]>[] : O[Name] extends { readonly value: string } ? ValueOf<O[Name]> | undefined : boolean;
};

type ValueOf<Option> = Option extends { readonly choices: readonly (infer Choice)[] } ? Choice : string;

/** What a command is run with. Whatever could be refused by its data has been refused before. */
export interface Invocation<O extends Options = Options> {
  /** By name: the value or undefined, of a repeatable one its values, or for a switch whether it was given. */
  readonly options: GivenOptions<O>;
  /** The words that are no options, in the order of `positionals`. */
  readonly words: readonly string[];
  /** The arguments as they were given, for a program that reads its own. */
  readonly args: readonly string[];
  /** Whether stdout must hold exactly one JSON document. */
  readonly json: boolean;
  /** The command's answer on stdout. */
  readonly answer: Answer;
  /** A line for people, on stderr. */
  talk(text: string): void;
}

/**
 * A command as data: its parsing, `--help`, `--json`, completion and the refusal of what it does not know follow from this alone.
 * `--help` and `--json` belong to every command and are not among its options. A command file imports what is heavy inside `run`:
 * refusing an argument must not wait for it.
 */
export interface Command<O extends Options = Options> {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** Paragraphs for its own help. */
  readonly description: readonly string[];
  /** What comes after `npx ql3-evidence NAME`, a line for each way to call it. */
  readonly usage: readonly string[];
  readonly examples: readonly Example[];
  readonly options: O;
  readonly positionals: readonly PositionalData[];
  /** What its exit codes mean, where the general table says too little. */
  readonly exits?: Readonly<Record<number, string>>;
  /** Gives the exit code. What it throws is told, and answered by the exit code that belongs to it. */
  run(invocation: Invocation<O>): Promise<number>;
}

/** Lets the options of a command type what it is run with. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command;
}
