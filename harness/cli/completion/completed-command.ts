import type { Command, OptionData, PositionalData } from '../command.ts';
import { COMMON_OPTIONS } from '../parse-arguments.ts';

/** What completion knows of a command. */
export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly (readonly [name: string, option: OptionData])[];
  readonly positionals: readonly PositionalData[];
}

/** The commands, and `help`, whose word is one of them. */
export function toCompletedCommands(commands: readonly Command[]): readonly CompletedCommand[] {
  const names = commands.map(({ name }) => name);
  return [
    ...commands.map(({ name, summary, options, positionals }) => ({ name, summary, options: Object.entries({ ...options, ...COMMON_OPTIONS }), positionals })),
    { name: 'help', summary: 'the help of a command', options: [], positionals: [{ name: 'COMMAND', description: 'the command', choices: names }] },
  ];
}

/** For a shell, within single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
