#!/usr/bin/env node
import { tmpdir } from 'node:os';
import { describeError } from '../run/describe-error.ts';
import { exitCodeOf, HarnessError } from '../run/errors.ts';
import { toldAsFullDisk } from '../run/full-disk.ts';
import { Answer } from './answer.ts';
import { columnsOf } from './columns.ts';
import type { Command } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { describeCommand, describeProgram } from './help.ts';
import { nearest } from './nearest.ts';
import { asksForJson, meant, parseArguments } from './parse-arguments.ts';
import { CALL, PROGRAM } from './program.ts';
import { COMMAND_NAMES, loadAllCommands, loadCommand } from './registry.ts';
import { assertNothingSwallowed } from './swallowed-options.ts';

// A reader of our output that has gone must not keep the run from its end: it cleans up, and its exit code tells.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

function talk(text: string): void {
  process.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
}

async function main(args: readonly string[], answer: Answer): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--version') return await main(['version', ...rest], answer);
  if (name === '--help' || name === '-h' || name === 'help') return await help(rest.filter((word) => !word.startsWith('-')), answer);
  if (name === undefined || name.startsWith('-')) throw new HarnessError('QL3_USAGE', `expected a command, got ${name === undefined ? 'none' : JSON.stringify(name)}; ${CALL} --help lists them: ${COMMAND_NAMES.join(', ')}`);
  const command = await named(name);
  const { options, words, isHelp } = parseArguments(command, rest);
  if (isHelp) return tellHelp(command, answer);
  assertNothingSwallowed(command, options);
  return await command.run({ options, words, args: rest, json: answer.json, answer, talk });
}

async function named(name: string): Promise<Command> {
  const command = await loadCommand(name);
  if (command !== null) return command;
  throw new HarnessError('QL3_USAGE', `unknown command ${JSON.stringify(name.slice(0, 200))}${meant(nearest(name, COMMAND_NAMES))}; ${CALL} --help lists them: ${COMMAND_NAMES.join(', ')}`);
}

async function help([name, ...more]: readonly string[], answer: Answer): Promise<number> {
  if (more.length > 0) throw new HarnessError('QL3_USAGE', `expected one command after help, got ${more.length + 1}`);
  if (name !== undefined) return tellHelp(await named(name), answer);
  const commands = await loadAllCommands();
  talk(describeProgram(commands, columnsOf(process.stderr)));
  if (answer.json) answer.give({ schemaVersion: 1, commands });
  return EXIT_CODES.held.code;
}

function tellHelp(command: Command, answer: Answer): number {
  talk(describeCommand(command, columnsOf(process.stderr)));
  if (answer.json) answer.give({ schemaVersion: 1, command });
  return EXIT_CODES.held.code;
}

/** What nobody awaits is a defect; a run hears of it itself, ends, and cleans up. */
function endByDefect(error: unknown, answer: Answer): void {
  if (process.listenerCount('uncaughtException') > 1) return;
  talk(error instanceof Error ? (error.stack ?? error.message) : describeError(error));
  answer.fail(error, EXIT_CODES.defect.code);
  process.exit(EXIT_CODES.defect.code);
}

async function perform(args: readonly string[]): Promise<number> {
  const answer = new Answer(asksForJson(args));
  process.on('uncaughtException', (error) => endByDefect(error, answer));
  try {
    const code = await main(args, answer);
    // a command that has told its failure itself
    if (code !== EXIT_CODES.held.code) answer.fail(new Error(`${args[0] ?? PROGRAM} ended with exit code ${code}; stderr says why`), code);
    return code;
  } catch (thrown) {
    const error = toldAsFullDisk(thrown, [tmpdir()]);
    talk(describeError(error));
    answer.fail(error);
    return exitCodeOf(error);
  }
}

process.exitCode = await perform(process.argv.slice(2));
