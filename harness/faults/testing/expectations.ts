import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CommandProcess } from '../../cli/testing/command-process.ts';
import { readOwnerFile } from '../../run/owner-file.ts';
import { listeningSockets, listeningSocketsOf } from './listening-sockets.ts';

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
const CLOSED_DEADLINE_MS = 30_000;

export const REHEARSE: readonly string[] = ['rehearse', '--report=REPORT'];

/** Looks at what a run has open now; the answer asks, when the run has ended, whether all of it has gone: processes, files, ports, and what `clean` would find. */
export function watchForLeavings(run: CommandProcess): () => Promise<void> {
  const pids = run.processes().map(({ pid }) => pid);
  const sockets = listeningSocketsOf(pids);
  return async () => {
    assert.deepEqual(await run.leavings(), []);
    assert.deepEqual(await stillListening(sockets), [], 'a port is still listened on');
    const cleaned = JSON.parse(execFileSync(process.execPath, [MAIN, 'clean', '--dry-run', '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, TMPDIR: run.temporary } })) as { readonly removed: readonly string[]; readonly inUse: readonly string[] };
    assert.deepEqual([...cleaned.removed, ...cleaned.inUse].filter((name) => isOfThisRun(name, run, pids)), [], 'clean would find what the run has left');
  };
}

/** A process that was killed shows no environment any more before it has closed what it had open. */
async function stillListening(sockets: ReadonlyMap<string, number>): Promise<readonly (readonly [string, number])[]> {
  const deadlineAt = performance.now() + CLOSED_DEADLINE_MS;
  for (;;) {
    const now = listeningSockets();
    const left = [...sockets].filter(([inode]) => now.has(inode));
    if (left.length === 0 || performance.now() > deadlineAt) return left;
    await delay(20);
  }
}

/** Other runs of this machine have folders too, and `clean` looks everywhere. */
function isOfThisRun(name: string, { temporary }: CommandProcess, pids: readonly number[]): boolean {
  const path = name.replace(/^folder /, '');
  if (path === name || path.startsWith(temporary)) return path !== name;
  // another run's may just be going
  return pids.includes(readOwnerFile(path)?.owner.pid ?? 0);
}

/** The run has failed as it should: by this exit code, saying this, with its evidence and without a report, and nothing stays. */
export async function assertFailed(run: CommandProcess, { code = 1, message, leavings = watchForLeavings(run) }: { readonly code?: number; readonly message: RegExp; readonly leavings?: () => Promise<void> }): Promise<void> {
  assert.deepEqual(await run.ended, { code, signal: null }, run.stderr);
  assert.match(run.stderr, message);
  assert.equal(run.stdout, '');
  assertEvidence(run);
  await leavings();
}

export function assertEvidence(run: CommandProcess): void {
  const { failureDirectory } = run;
  assert.ok(failureDirectory !== null, `expected a folder of evidence:\n${run.stderr}`);
  const files = readdirSync(failureDirectory);
  for (const file of ['error.txt', 'spans.json', 'observations.jsonl', 'embedded-cluster.log']) assert.ok(files.includes(file), `expected ${file} among ${files.join(', ')}`);
  assert.deepEqual(run.sharedFiles(), []);
  assert.ok(!readdirSync(join(failureDirectory, '..')).includes('report.json'));
}
