import { dirname } from 'node:path';
import { styleText } from 'node:util';
import { keyIdOf, kindOfKey } from '../../evidence/dsse.ts';
import type { Derivation } from '../../evidence/derive.ts';
import { RELEASE_FIXTURE } from '../../evidence/pins.ts';
import type { BundleRequest } from '../bundle/deliver-bundle.ts';
import { tellGithub } from '../github/tell-github.ts';
import { suitesOfRun } from '../junit/run-suites.ts';
import { Activity } from '../progress/activity.ts';
import { keepDurations, readDurations } from '../progress/durations.ts';
import { Forecast } from '../progress/forecast.ts';
import { present } from '../progress/presenter.ts';
import { describeError } from '../run/describe-error.ts';
import { exitCodeOf } from '../run/errors.ts';
import { toldAsFullDisk } from '../run/full-disk.ts';
import { describeFailure } from '../run/failure-screen.ts';
import { Interruption } from '../run/interruption.ts';
import { run, type RunEnd } from '../run/run.ts';
import { assertTemporaryFolder } from '../run/run-directory.ts';
import type { Substrate } from '../substrate/substrate.ts';
import { Answer } from './answer.ts';
import { columnsOf } from './columns.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { writeJunit } from './junit-option.ts';
import { commandThatAudits, commandThatExplains, nextCommands } from './next-commands.ts';
import { describeGates, describeSpans, describeVerdict } from './summary.ts';

export interface RunRequest {
  readonly substrate: Substrate;
  readonly reportPath: string;
  readonly bundle?: BundleRequest | null;
  readonly answer?: Answer;
  /** Where the gates are wanted as JUnit XML. */
  readonly junitPath?: string | undefined;
  /** The folder that was made for the report of this run, and for nothing else. */
  readonly ownFolder?: string;
  onEnd?(reportPath: string): void;
}

/** Runs the contract with signals handled, tells how it went on stderr, and gives the one JSON document on stdout when a report was written. */
export async function performRun(options: RunRequest): Promise<number> {
  const { substrate, bundle = null, answer = new Answer(false) } = options;
  assertTemporaryFolder();
  const activity = new Activity();
  const say = (line: string): void => presenter.say(line);
  // before the first word: whoever has read one may interrupt
  const interruption = new Interruption(say);
  const presenter = present({ activity, forecast: new Forecast(readDurations(substrate.kind)) });
  const end = await run({ ...options, bundle, interruption, activity, say });
  presenter.end();
  if (end.end === 'held') keepDurations(substrate.kind, { totalMs: activity.elapsedMs, spans: end.spans.all });
  tellGithub(end, { reportPath: options.reportPath, bundlePath: bundle?.path ?? null, say: (line) => void process.stderr.write(`${line}\n`) });
  const ended = report(end, { reportPath: options.reportPath, ownFolder: options.ownFolder ?? null, bundle, answer });
  const code = (await isJunitKept(options.junitPath, end)) || ended !== EXIT_CODES.held.code ? ended : EXIT_CODES.usage.code;
  options.onEnd?.(options.reportPath);
  if (interruption.interruptedBy !== null) {
    interruption.dieBySignal(interruption.interruptedBy);
    return EXIT_CODES.failed.code;
  }
  interruption[Symbol.dispose]();
  return code;
}

function report(end: RunEnd, { reportPath, ownFolder, bundle, answer }: { readonly reportPath: string; readonly ownFolder: string | null; readonly bundle: BundleRequest | null; readonly answer: Answer }): number {
  const talk = (text: string): void => void process.stderr.write(`${text}\n`);
  const uncleaned = end.releaseFailures.map(({ name, error }) => `not cleaned up: ${name}: ${describeError(error)}`);
  if (end.end === 'failed') {
    talk(`\n${describeFailure(end.failure, { folder: end.failureDirectory, commands: nextCommands(end, ownFolder), columns: columnsOf(process.stderr), emphasized: (line) => emphasized(line, 'red') })}`);
    for (const line of uncleaned) talk(line);
    answer.fail(end.error);
    return exitCodeOf(end.error);
  }
  talk(describeGates(end.derivation));
  talk(describeSpans(end.spans));
  talk(describeVerdict(end.derivation, { columns: columnsOf(process.stderr), emphasis: (text, how) => emphasized(text, how === 'good' ? 'green' : 'red') }));
  for (const line of uncleaned) talk(emphasized(line, 'red'));
  talk(`\nreport: ${reportPath}`);
  if (bundle !== null) talk(`bundle: ${bundle.path}\nsignature: ${describeSignature(bundle.signingKey)}`);
  talk(`look: ${commandThatExplains(bundle?.path ?? reportPath)}`);
  talk(`audit: ${commandThatAudits({ reportPath, bundlePath: bundle?.path ?? null, isSigned: bundle !== null && bundle.signingKey !== null, isRelease: end.derivation.report.fixture === RELEASE_FIXTURE })}`);
  answer.give(conclusion(end.derivation));
  return end.releaseFailures.length > 0 ? EXIT_CODES.uncleaned.code : EXIT_CODES.held.code;
}

/** Where stderr is a terminal, and as NO_COLOR and FORCE_COLOR say. */
function emphasized(text: string, colour: 'green' | 'red'): string {
  return styleText(['bold', colour], text, { stream: process.stderr });
}

/** What was asked for and cannot be had is an end without success; the report stands all the same. */
async function isJunitKept(path: string | undefined, end: RunEnd): Promise<boolean> {
  if (path === undefined) return true;
  try {
    await writeJunit(path, suitesOfRun(end));
    return true;
  } catch (error) {
    process.stderr.write(`the JUnit file could not be written: ${describeError(toldAsFullDisk(error, [dirname(path)]))}\n`);
    return false;
  }
}

/** Nobody should take a bundle for signed that is not. */
function describeSignature(key: BundleRequest['signingKey']): string {
  return key === null ? 'none, since no key was given with --sign-key' : `${kindOfKey(key)}, key ${keyIdOf(key)}`;
}

function conclusion(derivation: Derivation): object {
  return { schemaVersion: 1, fixture: derivation.report.fixture, reportWritten: true, passed: derivation.problems.length === 0 };
}
