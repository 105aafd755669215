import { join } from 'node:path';
import type { RunEnd } from '../run/run.ts';
import { quoted } from './completion/completed-command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { CALL } from './program.ts';

export interface NextCommand {
  readonly title: string;
  readonly command: string;
}

/** How to look at what a failed run has left, and how to be rid of it: with `ownFolder`, which was made for this run alone, of that. Each can be pasted into a shell in the checkout. */
export function nextCommands({ failure, failureDirectory, releaseFailures }: Extract<RunEnd, { readonly end: 'failed' }>, ownFolder: string | null): readonly NextCommand[] {
  const commands: NextCommand[] = [];
  if (failure.exitCode === EXIT_CODES.unfit.code) commands.push({ title: 'check', command: `${CALL} doctor` });
  if (failureDirectory !== null) commands.push({ title: 'look', command: commandThatExplains(failureDirectory) });
  const isKept = failure.files.some(({ kind }) => kind === 'kubeconfig');
  if (isKept && failureDirectory !== null) commands.push({ title: 'cluster', command: `kubectl --kubeconfig=${asWord(join(failureDirectory, 'kubeconfig'))} get pods --all-namespaces` });
  if (isKept || releaseFailures.length > 0) commands.push({ title: 'clean', command: `${CALL} clean --run=${failure.runId}` });
  // a folder that holds the key of a cluster is of use until that is gone
  if (failureDirectory !== null) commands.push({ title: isKept || releaseFailures.length > 0 ? 'and then' : 'clean', command: `rm -r ${asWord(ownFolder ?? failureDirectory)}` });
  return commands;
}

/** Of a report, a bundle, or the folder that a failed run has left. */
export function commandThatExplains(path: string): string {
  return `${CALL} explain ${asWord(path)}`;
}

/** Of what a run that held has written. The key that a signature is held against is for its reader to name: a run knows the private one. */
export function commandThatAudits({ reportPath, bundlePath, isSigned, isRelease }: { readonly reportPath: string; readonly bundlePath: string | null; readonly isSigned: boolean; readonly isRelease: boolean }): string {
  return [`${CALL} audit`, ...(isRelease ? [] : ['--profile=rehearsal']), `--report=${asWord(reportPath)}`, ...(bundlePath === null ? [] : [`--bundle=${asWord(bundlePath)}`]), ...(isSigned ? ['--public-key=PUBLIC_KEY.pem'] : [])].join(' ');
}

/** As one word of a POSIX shell, in quotes where it needs them. */
function asWord(path: string): string {
  return /^[\w./:@%+=,-]+$/.test(path) ? path : quoted(path);
}
