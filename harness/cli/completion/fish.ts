import type { OptionData } from '../command.ts';
import type { CompletedCommand } from './completed-command.ts';

/** For fish: one line for each thing that may be written. */
export function completeFish(program: string, commands: readonly CompletedCommand[]): string {
  const complete = (...parts: readonly string[]): string => `complete -c ${program} ${parts.filter((part) => part !== '').join(' ')}`;
  return [
    `# fish completion of ${program}: ${program} completion fish | source`,
    complete('-f'),
    complete('-n', '__fish_use_subcommand', '-l', 'help', '-s', 'h', '-d', quoted('the commands')),
    complete('-n', '__fish_use_subcommand', '-l', 'version', '-d', quoted('what this is')),
    ...commands.flatMap(({ name, summary, options, positionals }) => [
      complete('-n', '__fish_use_subcommand', '-a', name, '-d', quoted(summary)),
      ...options.map(([option, data]) => complete('-n', seen(name), '-l', option, option === 'help' ? '-s h' : '', argument(data), '-d', quoted(data.description))),
      ...positionals.map(({ choices, completes, description }) => complete('-n', seen(name), choices === undefined ? (completes === undefined ? '' : '-F') : `-a ${quoted(choices.join(' '))}`, '-d', quoted(description))),
    ]),
    '',
  ].join('\n');
}

function seen(command: string): string {
  return quoted(`__fish_seen_subcommand_from ${command}`);
}

function argument({ value, choices, completes }: OptionData): string {
  if (value === undefined) return '';
  if (choices !== undefined) return `-x -a ${quoted(choices.join(' '))}`;
  return completes === undefined ? '-x' : '-r -F';
}

/** fish knows two escapes within single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
