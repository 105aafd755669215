import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmdirSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DIRTY_TREE_LIMITATION } from '../../evidence/limitations.ts';
import { CommandProcess } from '../cli/testing/command-process.ts';
import { processesThatName } from '../cli/testing/process-traces.ts';
import { Workshop } from '../sabotage/workshop.ts';
import { REHEARSE, watchForLeavings } from './testing/expectations.ts';

const AUDITOR = fileURLToPath(new URL('../../auditor/cli/main.ts', import.meta.url));
const mayMount = process.platform === 'linux' && process.getuid?.() === 0;
const skip = mayMount ? false : 'only root may mount a small or a read-only folder';

/** What others may write between the look and the change: a segment of PostgreSQL's log is 16 MiB at once. */
const ROOM_FOR_WRITERS_BYTES = 64 * 1024 * 1024;

/** A folder of its own kind; gone when the test is over. */
class Mount implements Disposable {
  readonly path: string;

  constructor(options: string) {
    this.path = mkdtempSync(join(realpathSync(tmpdir()), 'ql3-mount-'));
    chmodSync(this.path, 0o755);
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', this.path]);
  }

  /** Made smaller first, so that what fills it does not take the machine's memory. */
  fill(): void {
    const { bsize, blocks, bfree } = statfsSync(this.path);
    execFileSync('mount', ['-o', `remount,size=${(blocks - bfree) * bsize + ROOM_FOR_WRITERS_BYTES}`, this.path]);
    for (let sizeBytes = 1024 * 1024; sizeBytes >= 1; ) {
      try {
        appendFileSync(join(this.path, 'filler'), Buffer.alloc(sizeBytes));
      } catch {
        sizeBytes = Math.floor(sizeBytes / 2);
      }
    }
  }

  [Symbol.dispose](): void {
    execFileSync('umount', ['--lazy', this.path]);
    rmdirSync(this.path);
  }
}

async function frozen(pids: readonly number[], ms: number, whenFrozen: () => void): Promise<void> {
  for (const pid of pids) signalIfThere(pid, 'SIGSTOP');
  whenFrozen();
  await delay(ms);
  for (const pid of pids) signalIfThere(pid, 'SIGCONT');
}

/** A server's process for one session may have ended since it was listed. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

describe('a rehearsal on an unkind machine', { concurrency: 2 }, () => {
  test('a full TMPDIR: the environment cannot run it, and nothing is left', { skip }, async () => {
    using small = new Mount('size=30m,mode=0755');
    await using run = new CommandProcess(REHEARSE, { env: { TMPDIR: small.path } });
    assert.deepEqual(await run.ended, { code: 3, signal: null }, run.stderr);
    assert.match(run.stderr, /no space left|ENOSPC|QL3_ENVIRONMENT/i);
    assert.equal(run.stdout, '');
    assert.equal(run.failureDirectory, null);
    assert.deepEqual(await run.leavings(), []);
    assert.deepEqual(readdirSync(small.path).filter((name) => !name.startsWith('node-compile-cache')), []);
    assert.deepEqual(processesThatName(small.path), []);
  });

  test('a TMPDIR that fills in the middle: it says which folder was full, how much is free, and what to do', { skip }, async () => {
    using small = new Mount('size=1200m,mode=0755');
    const inTheMiddle = 'generation 2 is rotated';
    await using run = new CommandProcess(REHEARSE, { env: { TMPDIR: small.path }, holdAt: [inTheMiddle] });
    await run.said(inTheMiddle);
    small.fill();
    run.goOn();
    assert.deepEqual(await run.ended, { code: 3, signal: null }, run.stderr);
    assert.match(run.stderr, new RegExp(`\\n {2}cause {6}QL3_ENVIRONMENT: expected ${small.path} to take what is written there, it was full: [^\\n]* of [\\d.]+ MiB are free[^\\n]*; make room there[^\\n]* set TMPDIR`));
    assert.deepEqual(await run.leavings(), []);
    assert.deepEqual(readdirSync(small.path).filter((name) => !name.startsWith('node-compile-cache')), ['filler']);
  });

  test('a read-only HOME, a dirty tree, a PostgreSQL frozen for 8 s and an API server frozen for 12 s: it passes and names the tree', { skip }, async () => {
    using home = new Mount('ro,size=1m');
    using workshop = new Workshop();
    const tree = await workshop.copyTree('dirty', AbortSignal.timeout(300_000));
    writeFileSync(join(tree, 'images', 'worker', 'src', 'not-committed.ts'), 'export {};\n');
    // longer than the product waits for an answer: it is to strike the run, before the executor has begun, or the Workers, before their Control is asked for more
    const [apiServerAway, databaseAway] = ['generation 3 is rotated', 'the production Worker opens session 1'];
    await using run = new CommandProcess([...REHEARSE, '--bundle=BUNDLE'], { program: join(tree, 'harness/cli/main.ts'), env: { HOME: home.path }, holdAt: [apiServerAway, databaseAway] });
    await run.said(apiServerAway);
    await frozen([run.processNamed('embedded/main.ts')], 12_000, () => run.goOn());
    await run.said(databaseAway);
    await frozen(run.processes().filter(({ commandLine }) => commandLine.includes('postgres')).map(({ pid }) => pid), 8_000, () => run.goOn());
    const leavings = watchForLeavings(run);
    assert.deepEqual(await run.ended, { code: 0, signal: null }, run.stderr);
    assert.equal((JSON.parse(run.stdout) as { passed: boolean }).passed, true);
    const { limitations } = JSON.parse(readFileSync(run.reportPath, 'utf8')) as { limitations: string[] };
    assert.ok(limitations.includes(DIRTY_TREE_LIMITATION), limitations.join('\n'));
    const audited = execFileSync(process.execPath, [AUDITOR, `--report=${run.reportPath}`, `--bundle=${run.bundlePath}`, '--profile=rehearsal'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    assert.equal((JSON.parse(audited) as { compatible: boolean }).compatible, true);
    await leavings();
  });
});
