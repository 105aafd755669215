import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { processesThatName } from './testing/process-traces.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const base = mkdtempSync(join(realpathSync(tmpdir()), 'ql3-refusals-'));
after(() => rmSync(base, { recursive: true, force: true }));

const inside = (...names: string[]): string => join(base, ...names);
mkdirSync(inside('private'), { mode: 0o700 });
mkdirSync(inside('shared'));
chmodSync(inside('shared'), 0o770);
mkdirSync(inside('tmp'), { mode: 0o700 });
writeFileSync(inside('private', 'old.json'), '{}');
symlinkSync(inside('private', 'nowhere'), inside('private', 'dangling.json'));
symlinkSync(inside('private'), inside('linked'));
mkdirSync(inside('private', 'folder'));

const LIVE = { QL3_WORKER_KUBERNETES_ROLLOUT_LIVE: '1' };

/** What is given, and the words that answer it. */
const PATHS: readonly (readonly [name: string, path: string, words: string])[] = [
  ['a relative path', 'report.json', 'expected an absolute, normalised path'],
  ['a path that is not normalised', `${base}/private/../private/new.json`, 'expected an absolute, normalised path'],
  ['an empty path', '', 'expected an absolute, normalised path'],
  ['an existing report', inside('private', 'old.json'), 'exists; no file is ever overwritten'],
  ['a dangling link', inside('private', 'dangling.json'), 'exists; no file is ever overwritten'],
  ['a folder', inside('private', 'folder'), 'exists; no file is ever overwritten'],
  ['a folder with a slash', `${inside('private', 'folder')}/`, 'expected an absolute, normalised path'],
  ['a linked parent', inside('linked', 'new.json'), 'is a link; name the real folder'],
  ['a parent below a link', inside('linked', 'folder', 'new.json'), 'is reached through a link; name '],
  ['a parent that its group can write to', inside('shared', 'new.json'), 'is writable by others'],
  ['a missing parent', inside('missing', 'new.json'), 'does not exist; create it with mode 0700'],
  ['a file as parent', inside('private', 'old.json', 'new.json'), 'is not a folder'],
  ['a file above the parent', inside('private', 'old.json', 'folder', 'new.json'), 'ENOTDIR'],
  ['a long name', inside('private', 'x'.repeat(250)), 'expected a path of at most'],
  ['a long path', `/${'x/'.repeat(4_000)}new.json`, 'expected a path of at most'],
  ['a path with a new line', inside('private', 'new\nline.json'), 'expected a path of at most'],
];

const ARGUMENTS: readonly (readonly [name: string, args: readonly string[], code: 'QL3_USAGE'])[] = [
  ['no command', [], 'QL3_USAGE'],
  ['an unknown command', ['rehearsal'], 'QL3_USAGE'],
  ['a command that every object has', ['constructor'], 'QL3_USAGE'],
  ['an unknown option', ['rehearse', '--fast'], 'QL3_USAGE'],
  ['an option without its value', ['rehearse', '--report'], 'QL3_USAGE'],
  ['an option twice', ['rehearse', `--report=${inside('private', 'a.json')}`, `--report=${inside('private', 'b.json')}`], 'QL3_USAGE'],
  ['a stray word', ['rehearse', 'now'], 'QL3_USAGE'],
  ['a value for a switch', ['rehearse', '--help=yes'], 'QL3_USAGE'],
  ['no report for a release', ['run'], 'QL3_USAGE'],
  ['an unknown way to pull', ['run', `--report=${inside('private', 'a.json')}`, '--pull=always'], 'QL3_USAGE'],
  ['an unknown reason to keep', ['run', `--report=${inside('private', 'a.json')}`, '--keep=yes'], 'QL3_USAGE'],
];

async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, TMPDIR: inside('tmp'), ...env } });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  return { code, stdout, stderr };
}

/** One for each run beside others that is asked what it has left there. */
class TemporaryFolder {
  readonly path = mkdtempSync(inside('tmp-'));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}

/** Told in one line with one code. */
async function assertRefused(args: readonly string[], code: 'QL3_USAGE' | 'QL3_PATH_REFUSED', words = ''): Promise<void> {
  const end = await runCommand(args, LIVE);
  assert.deepEqual({ code: end.code, stdout: end.stdout }, { code: 2, stdout: '' }, end.stderr);
  assert.match(end.stderr, new RegExp(`^${code}: .*${words}.*\n$`));
  assert.doesNotMatch(end.stderr, /REPORT_[A-Z]/);
}

describe('what is refused before anything starts, with exit code 2', { concurrency: 4 }, () => {
  for (const [name, path, words] of PATHS) {
    test(`rehearse: ${name}`, async () => assertRefused(['rehearse', `--report=${path}`], 'QL3_PATH_REFUSED', words));
  }
  test('run judges a path alike', async () => assertRefused(['run', `--report=${inside('private', 'dangling.json')}`], 'QL3_PATH_REFUSED', 'exists; no file is ever overwritten'));
  for (const [name, folder, words] of [['is a file', inside('private', 'old.json'), 'which is none'], ['is not there', inside('missing'), 'which is not there']] as const) {
    for (const args of [['rehearse'], ['rehearse', `--report=${inside('private', 'new.json')}`], ['clean', '--dry-run']]) {
      test(`${args.join(' ').replace(base, '')} with a TMPDIR that ${name}`, async () => {
        const end = await runCommand(args, { TMPDIR: folder });
        assert.deepEqual(end, { code: 2, stdout: '', stderr: `QL3_USAGE: expected TMPDIR to name a folder, got ${folder}, ${words}; set it to a folder of your own, or unset it\n` });
      });
    }
  }
  for (const [name, args, code] of ARGUMENTS) test(name, async () => assertRefused(args, code));
});

test('nothing was written and nothing runs after all that', () => {
  assert.deepEqual(readdirSync(base).toSorted(), ['linked', 'private', 'shared', 'tmp']);
  assert.deepEqual(readdirSync(inside('private')).toSorted(), ['dangling.json', 'folder', 'old.json']);
  assert.deepEqual([...readdirSync(inside('shared')), ...readdirSync(inside('tmp')), ...readdirSync(inside('private', 'folder'))], []);
  assert.deepEqual(processesThatName(base), []);
});

describe('a machine that cannot run it: exit code 3, and nothing is left', { concurrency: 2 }, () => {
  test("root's folder for temporary files, when its Pods cannot enter", { skip: process.getuid?.() === 0 ? false : 'only root has Pods of other users' }, async () => {
    using own = new TemporaryFolder();
    const end = await runCommand(['rehearse', `--report=${inside('private', 'new.json')}`], { TMPDIR: own.path });
    assert.deepEqual({ code: end.code, stdout: end.stdout }, { code: 3, stdout: '' }, end.stderr);
    assert.match(end.stderr, /cause +QL3_ENVIRONMENT: this machine cannot run it:\s+temporary-folder: /);
    assert.match(end.stderr, /to do {2}chmod o\+x \//);
    assert.ok(end.stderr.includes(` ${base} ${own.path}, or set TMPDIR`), end.stderr);
    assert.deepEqual(readdirSync(own.path), []);
  });

  test('no git', async () => {
    using own = new TemporaryFolder();
    const end = await runCommand(['rehearse'], { TMPDIR: own.path, PATH: inside('missing') });
    assert.deepEqual({ code: end.code, stdout: end.stdout }, { code: 3, stdout: '' }, end.stderr);
    assert.match(end.stderr, /cause +QL3_ENVIRONMENT: .*install git/);
    assert.deepEqual(readdirSync(own.path), []);
  });

  test('no git checkout', async () => {
    using own = new TemporaryFolder();
    const end = await runCommand(['rehearse'], { TMPDIR: own.path, GIT_DIR: inside('missing') });
    assert.deepEqual({ code: end.code, stdout: end.stdout }, { code: 3, stdout: '' }, end.stderr);
    assert.match(end.stderr, /cause +QL3_ENVIRONMENT: expected a Git checkout/);
    assert.deepEqual(readdirSync(own.path), []);
  });
});
