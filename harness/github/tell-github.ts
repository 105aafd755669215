import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { RELEASE_FIXTURE } from '../../evidence/pins.ts';
import { IN_NO_STEP, isOfItsWait, type FailureIndex } from '../../evidence/failure-index.ts';
import type { RunEnd } from '../run/run.ts';
import { summaryOfFailure, summaryOfHeld } from './step-summary.ts';
import { errorAnnotation } from './workflow-command.ts';

export interface GithubOptions {
  readonly reportPath: string;
  /** Null without one; a folder has no digest of its own. */
  readonly bundlePath: string | null;
  readonly environment?: NodeJS.ProcessEnv;
  /** Workflow commands are heard on stderr too; stdout has the command's own document. */
  readonly say: (line: string) => void;
}

/** Tells GitHub Actions, where it is the one that runs this: a summary, outputs for later steps, and an annotation of a failure. */
export function tellGithub(end: RunEnd, { reportPath, bundlePath, environment = process.env, say }: GithubOptions): void {
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY, GITHUB_OUTPUT } = environment;
  const sha256 = end.end === 'held' ? digestOf(reportPath) : '';
  if (GITHUB_STEP_SUMMARY) append(GITHUB_STEP_SUMMARY, `${summaryOf(end, reportPath, sha256)}\n`, say);
  if (GITHUB_OUTPUT) append(GITHUB_OUTPUT, toOutputs(outputsOf(end, { reportPath, sha256, bundlePath })), say);
  if (GITHUB_ACTIONS === 'true' && end.end === 'failed') say(annotationOf(end.failure));
}

function summaryOf(end: RunEnd, path: string, sha256: string): string {
  return end.end === 'held' ? summaryOfHeld(end.derivation, { report: { path, sha256 }, elapsedMs: end.spans.elapsedMs }) : summaryOfFailure(end.failure, end.derivation);
}

/** What later steps can ask for; workflows are held to these names by a test. */
export const OUTPUTS = ['report', 'report-sha256', 'bundle', 'bundle-sha256', 'passed', 'profile', 'failure-folder'] as const;
type Outputs = Readonly<Record<(typeof OUTPUTS)[number], string>>;

function outputsOf(end: RunEnd, { reportPath, sha256, bundlePath }: { readonly reportPath: string; readonly sha256: string; readonly bundlePath: string | null }): Outputs {
  if (end.end === 'failed') return { report: '', 'report-sha256': '', bundle: '', 'bundle-sha256': '', passed: 'false', profile: '', 'failure-folder': end.failureDirectory ?? '' };
  const { report, problems } = end.derivation;
  const bundle = { bundle: bundlePath ?? '', 'bundle-sha256': bundlePath !== null && statSync(bundlePath).isFile() ? digestOf(bundlePath) : '' };
  return { report: reportPath, 'report-sha256': sha256, ...bundle, passed: String(problems.length === 0), profile: report.fixture === RELEASE_FIXTURE ? 'release' : 'rehearsal', 'failure-folder': '' };
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** With a delimiter that nobody can have written into a value before, so that none of them can bring outputs of its own. */
function toOutputs(outputs: Outputs): string {
  return Object.entries(outputs).map(([name, value]) => {
    const delimiter = `ql3_${randomUUID()}`;
    return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
  }).join('');
}

function annotationOf(failure: FailureIndex): string {
  const { step, expectation, causes } = failure;
  const [cause] = causes;
  const title = step === null ? `the run failed ${IN_NO_STEP}` : `step ${step.id} failed`;
  const isLate = isOfItsWait(failure);
  const waited = expectation === null ? [] : [`${isLate ? 'expected' : 'waited for'} ${expectation.expected}`, `last seen: ${expectation.lastSeen?.text ?? 'nothing'}`];
  const why = cause === undefined ? [] : [`${cause.code === null ? '' : `${cause.code}: `}${cause.message}`];
  return errorAnnotation(title, (isLate ? [...waited, ...why] : [...why, ...waited]).join('\n'));
}

/** What GitHub is told is no part of the run: that it cannot be told must not fail it. */
function append(path: string, text: string, say: (line: string) => void): void {
  try {
    appendFileSync(path, text);
  } catch (error) {
    say(`GitHub could not be told: ${(error as Error).message}`);
  }
}
