import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { canonicalJson } from '../../evidence/canonical-json.ts';
import { deriveReport } from '../../evidence/derive.ts';
import { completeRun } from '../../evidence/testing/complete-run.ts';
import { identifyProcess } from '../run/process-identity.ts';
import { EXIT_CODES } from './exit-codes.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const RELEASE = fileURLToPath(new URL('../../evidence/fixtures/report-v2-release.json', import.meta.url));
const base = mkdtempSync(join(realpathSync(tmpdir()), 'ql3-exit-codes-'));
after(() => rmSync(base, { recursive: true, force: true }));
const inside = (...names: string[]): string => join(base, ...names);
mkdirSync(inside('tmp'));
// what is interrupted would run: root's Pods have users of their own, who must get through
for (const folder of [base, inside('tmp')]) chmodSync(folder, 0o711);
const rehearsal = inside('rehearsal.json');
writeFileSync(rehearsal, canonicalJson(deriveReport(completeRun({ platform: 'embedded', treeClean: true })).report), { mode: 0o600 });
mkdirSync(inside('left', 'ql3-evidence-dead'), { recursive: true });
writeFileSync(inside('left', 'ql3-evidence-dead', 'owner.json'), JSON.stringify({ schemaVersion: 1, runId: 'x', createdAt: '2026-01-01T00:00:00.000Z', owner: { ...identifyProcess(process.pid), startTicks: '1' } }), { mode: 0o600 });

interface Cause {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** A statement that runs in the process before the command. */
  readonly before?: string;
  /** The code in the document of a failure, or null where the command has an answer of its own. */
  readonly error: string | null;
}

const CAUSES: Readonly<Record<keyof typeof EXIT_CODES, readonly Cause[]>> = {
  held: [{ name: 'a compatible report', args: ['audit', `--report=${RELEASE}`], error: null }, { name: 'help', args: ['run', '--help'], error: null }],
  failed: [{ name: 'findings', args: ['audit', `--report=${rehearsal}`], error: null }],
  usage: [
    { name: 'an unknown option', args: ['rehearse', '--repotr=/x'], error: 'QL3_USAGE' },
    { name: 'an unknown command', args: ['rehears'], error: 'QL3_USAGE' },
    { name: 'the switch of the environment', args: ['run', `--report=${inside('new.json')}`], env: { QL3_WORKER_KUBERNETES_ROLLOUT_LIVE: '' }, error: 'QL3_USAGE' },
    { name: 'a report that cannot be read', args: ['audit', `--report=${inside('absent.json')}`], error: 'INPUT_MISSING' },
    { name: 'a wrong use of the auditor', args: ['audit', '--report=relative.json', '--source-committed-at=never'], error: 'QL3_USAGE' },
    { name: 'a path that is there', args: ['rehearse', `--report=${rehearsal}`], error: 'QL3_PATH_REFUSED' },
  ],
  unfit: [{ name: 'no git', args: ['rehearse'], env: { PATH: inside('missing') }, error: 'QL3_ENVIRONMENT' }],
  defect: [
    { name: 'a mistake', args: ['version'], before: 'JSON.parse = () => { throw new TypeError("nobody foresaw this") }', error: 'QL3_DEFECT' },
    { name: 'a mistake that nobody awaits', args: ['version'], before: 'setImmediate(() => process.stdout.constructor && Promise.reject(new TypeError("nobody awaits this")))', error: 'QL3_DEFECT' },
  ],
  uncleaned: [{ name: 'leavings where none are expected', args: ['clean', '--dry-run', '--expect-none'], env: { TMPDIR: inside('left') }, error: null }],
};

function perform({ args, env = {}, before }: Cause, ...more: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const preload = before === undefined ? [] : [`--import=data:text/javascript,${encodeURIComponent(before)}`];
  const outer = { ...process.env, TMPDIR: inside('tmp'), DOCKER_HOST: 'unix:///var/empty/no-docker.sock' };
  return spawnSync(process.execPath, [...preload, MAIN, ...args, ...more], { encoding: 'utf8', env: { ...outer, ...env } });
}

describe('each exit code, by a process', { concurrency: 2 }, () => {
  for (const [end, causes] of Object.entries(CAUSES)) {
    const { code } = EXIT_CODES[end as keyof typeof EXIT_CODES];
    for (const cause of causes) {
      test(`${code}: ${cause.name}; with --json one document on stdout`, () => {
        const { status, stdout, stderr } = perform(cause, '--json');
        assert.equal(status, code, stderr);
        assert.match(stdout, /^\{.*\}\n$/);
        const { error } = JSON.parse(stdout) as { error?: { code: string; message: string; exitCode: number } };
        assert.equal(error?.code ?? null, cause.error);
        if (error !== undefined) {
          assert.equal(error.exitCode, code);
          assert.ok(error.message.length > 10 && stderr.includes(error.message), stderr);
        }
      });
      if (cause.error !== null) {
        test(`${code}: ${cause.name}; without --json stdout is empty`, () => {
          const { status, stdout, stderr } = perform(cause);
          assert.deepEqual([status, stdout], [code, ''], stderr);
        });
      }
    }
  }

  for (const [signal, status] of [['SIGINT', 130], ['SIGTERM', 143]] as const) {
    test(`${status}: interrupted, as a shell tells it; with --json one document`, async () => {
      const shell = spawn('/bin/sh', ['-c', '"$@" & wait $!; exit $?', 'sh', process.execPath, MAIN, 'rehearse', '--json'], { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env: { ...process.env, TMPDIR: inside('tmp') } });
      const ended = once(shell, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
      const answer = text(shell.stdout);
      shell.stderr.once('data', () => {
        shell.stderr.resume();
        const [pid] = readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8').split(' ');
        process.kill(Number(pid), signal);
      });
      assert.deepEqual(await ended, [status, null]);
      const { error } = JSON.parse(await answer) as { error: { message: string } };
      assert.match(error.message, new RegExp(signal));
    });
  }
});

test('what refuses an argument has loaded nothing that a run needs', () => {
  for (const args of [['rehearse', '--fast'], ['run'], ['clean', '--older-than=1'], ['doctor', '--x'], ['explain'], ['plan', '--x'], ['audit']]) {
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `
      import { registerHooks } from 'node:module';
      registerHooks({ resolve(name, context, next) { const found = next(name, context); if (found.url.includes('/node_modules/')) console.error('LOADED ' + found.url); return found; } });
      process.argv.splice(1, 0, ${JSON.stringify(MAIN)});
      await import(${JSON.stringify(MAIN)});
    `, '--', ...args], { encoding: 'utf8', env: { ...process.env, QL3_WORKER_KUBERNETES_ROLLOUT_LIVE: '1' } });
    assert.equal(status, 2, stderr);
    assert.doesNotMatch(stderr, /LOADED/, args.join(' '));
  }
});

test('colour is for terminals, or for whoever forces it', () => {
  const { NO_COLOR: _, FORCE_COLOR: __, ...env } = process.env;
  const help = (more: NodeJS.ProcessEnv): string => spawnSync(process.execPath, [MAIN, '--help'], { encoding: 'utf8', env: { ...env, ...more } }).stderr;
  const bold = '\u001b[1mcommands';
  assert.deepEqual([{}, { FORCE_COLOR: '1' }, { NO_COLOR: '1' }].map((more) => help(more).includes(bold)), [false, true, false]);
});
