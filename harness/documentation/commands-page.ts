import type { Command } from '../cli/command.ts';
import { usageLines } from '../cli/help.ts';
import { loadAllCommands } from '../cli/registry.ts';
import { GENERATED_NOTE, table } from './generated-file.ts';

export async function commandsPage(): Promise<string> {
  const commands = await loadAllCommands();
  return [
    '# Commands',
    GENERATED_NOTE,
    '`npx ql3-evidence COMMAND`, anywhere in a clone, and only there: outside, npx would ask the public registry for a package of that name, which would not be this one. `npm run -s COMMAND -- OPTIONS` and `pnpm -s COMMAND OPTIONS` are the same where `package.json` has such a script, and so is `ql3-evidence COMMAND` under a link of that name. `--help` on each says the same as this page. `--json` gives exactly one JSON document on stdout; everything for people is on stderr. An unknown option is refused, with the nearest known one.',
    table(['command', 'what it does'], commands.map(({ name, summary }) => [`[\`${name}\`](#${name})`, summary])),
    ...commands.flatMap(commandText),
    '',
  ].join('\n\n').trimEnd() + '\n';
}

function commandText({ name, description, usage, examples, options, positionals, exits }: Command): string[] {
  const given = [
    ...positionals.map((positional) => [`\`${positional.name}\``, positional.description]),
    ...Object.entries(options).map(([option, { value, description: meaning }]) => [`\`--${option}${value === undefined ? '' : `=${value}`}\``, meaning]),
  ];
  return [
    `## ${name}`,
    ...description,
    ['```text', ...usageLines({ name, usage }), '```'].join('\n'),
    ...(given.length === 0 ? [] : [table(['option', 'meaning'], given)]),
    ...(exits === undefined ? [] : [table(['exit code', 'meaning here'], Object.entries(exits))]),
    ...(examples.length === 0 ? [] : [examples.map(({ command, shows }) => `* \`${command}\` — ${shows}`).join('\n')]),
  ];
}
