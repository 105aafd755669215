import { execa } from 'execa';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { BUNDLE_LAYOUT } from '../../evidence/bundle-layout.ts';
import { FAILURE_INDEX_FILE, type FailureIndex } from '../../evidence/failure-index.ts';
import { applyPatches } from './apply-patches.ts';
import type { Patch } from './tree-lie.ts';

const LONGEST_RUN_MS = 480_000;
const TIME_TO_CLEAN_UP_MS = 30_000;

/** Under a lie some waits are in vain: they need not be as long as on a slow cluster. */
export const WAIT_LESS: readonly Patch[] = [
  { file: 'harness/contract/deadlines.ts', search: 'rolloutMs: 180_000', replacement: 'rolloutMs: 75_000' },
  { file: 'harness/contract/deadlines.ts', search: 'heartbeatMs: 60_000', replacement: 'heartbeatMs: 30_000' },
];

/** How a rehearsal in a copy of the tree ended, and what it left to be judged. */
export interface RunInCopy {
  readonly exitCode: number | null;
  /** Null when it left none. */
  readonly report: unknown;
  /** Null when it died before anything could be kept. */
  readonly log: string | null;
  /** Why it ended, as its failure folder has it; where there is none, the last that it said. */
  readonly ending: string;
}

export async function rehearseIn(tree: string, name: string, patches: readonly Patch[], signal: AbortSignal): Promise<RunInCopy> {
  const folder = join(dirname(tree), name);
  mkdirSync(folder, { mode: 0o700 });
  const restore = applyPatches(tree, [...WAIT_LESS, ...patches]);
  try {
    const [report, bundle] = [join(folder, 'report.json'), join(folder, 'bundle')];
    const { exitCode = null, stderr } = await execa(process.execPath, ['harness/cli/main.ts', 'rehearse', `--report=${report}`, `--bundle=${bundle}`], {
      cwd: tree,
      reject: false,
      stdin: 'ignore',
      cancelSignal: signal,
      timeout: LONGEST_RUN_MS,
      forceKillAfterDelay: TIME_TO_CLEAN_UP_MS,
      env: { PATH: [join(tree, 'node_modules/.bin'), process.env['PATH']].join(delimiter) },
    });
    signal.throwIfAborted();
    return { exitCode, report: existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as unknown) : null, log: keptLog(folder), ending: endingOf(folder, stderr) };
  } finally {
    restore();
  }
}

function keptLog(folder: string): string | null {
  const failure = failureFolderIn(folder);
  const candidates = [join(folder, 'bundle', BUNDLE_LAYOUT.observations.path), ...(failure === null ? [] : [join(failure, 'observations.jsonl')])];
  const path = candidates.find((candidate) => existsSync(candidate));
  return path === undefined ? null : readFileSync(path, 'utf8');
}

function failureFolderIn(folder: string): string | null {
  const name = readdirSync(folder).find((each) => each.includes('.failure-'));
  return name === undefined ? null : join(folder, name);
}

function endingOf(folder: string, stderr: string): string {
  const failure = failureFolderIn(folder);
  const path = failure === null ? null : join(failure, FAILURE_INDEX_FILE);
  if (path === null || !existsSync(path)) return stderr.split('\n').slice(-5).join('\n');
  const { causes } = JSON.parse(readFileSync(path, 'utf8')) as Pick<FailureIndex, 'causes'>;
  return causes.map(({ code, message }) => `${code ?? 'failed'}: ${message}`).join('\n');
}
