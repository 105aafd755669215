import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeCommand, describeProgram } from './help.ts';
import { loadAllCommands } from './registry.ts';

const commands = await loadAllCommands();
const texts = (columns: number | null): readonly string[] => [describeProgram(commands, columns), ...commands.map((command) => describeCommand(command, columns))];
const examples = new Set(commands.flatMap((command) => command.examples.map(({ command: line }) => line)));
const isCommand = (line: string): boolean => /npx ql3-evidence|^ {6,} *\[/.test(line) || examples.has(line.trim());
const longest = (text: string): number => Math.max(...text.split('\n').filter((line) => !isCommand(line)).map((line) => line.length));
const words = (text: string): string => text.replaceAll(/\s+/g, ' ');

for (const [columns, most] of [[80, 80], [60, 60], [40, 60], [200, 110], [null, 110]] as const) {
  test(`the help on ${columns === null ? 'no terminal' : `${columns} columns`} has no line of more than ${most}, but for commands, which are to be pasted`, () => {
    for (const [index, text] of texts(columns).entries()) {
      assert.ok(longest(text) <= most, text);
      assert.equal(words(text), words(texts(null)[index] ?? ''));
    }
  });
}
