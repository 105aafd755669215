import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CommandProcess } from '../cli/testing/command-process.ts';
import { identifyProcess } from '../run/process-identity.ts';
import { connectToDocker } from '../substrate/k3s/docker-connection.ts';
import { labelsOfRun } from '../substrate/k3s/run-labels.ts';
import { findInstallLocks } from './find-install-locks.ts';

const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const LINUX_ONLY = process.platform !== 'linux' && 'reads /proc';

interface Answer {
  readonly removed: readonly string[];
  readonly inUse: readonly string[];
  readonly failures: readonly string[];
  readonly dockerSkipped: string | null;
  readonly leavings: readonly { readonly kind: string; readonly name: string; readonly runId: string | null; readonly createdAt: string | null; readonly ownerPid: number | null }[];
}

function clean(temporary: string, args: readonly string[], env: NodeJS.ProcessEnv = { DOCKER_HOST: 'unix:///var/empty/no-docker.sock' }): { readonly status: number | null; readonly stdout: string } {
  const { status, stdout } = spawnSync(process.execPath, [MAIN, 'clean', ...args], { encoding: 'utf8', env: { ...process.env, TMPDIR: temporary, ...env } });
  return { status, stdout };
}

/** Of what lies in the folder: other runs of this machine may have a database elsewhere, where `clean` looks too. */
function answerOf(temporary: string, args: readonly string[]): Answer {
  const answer = JSON.parse(clean(temporary, ['--json', ...args]).stdout) as Answer;
  const madeBy = ({ runId, createdAt, ownerPid }: Answer['leavings'][number]): string => JSON.stringify([runId, createdAt, ownerPid]);
  const others = new Set(answer.leavings.filter(({ kind, name }) => kind === 'folder' && !name.includes(temporary)).map(madeBy));
  const leavings = answer.leavings.filter((leaving) => !others.has(madeBy(leaving)));
  const names = new Set(leavings.map(({ kind, name }) => `${kind} ${name}`));
  return { ...answer, leavings, removed: answer.removed.filter((name) => names.has(name)), inUse: answer.inUse.filter((name) => names.has(name)) };
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ql3-clean-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One that has just been made to become another may have ended since it was listed. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const dead = (): object => ({ ...identifyProcess(process.pid), startTicks: '1' });

function leave(parent: string, name: string, owner: object, createdAt = new Date().toISOString(), more: object = {}): string {
  const path = join(parent, name);
  mkdirSync(path);
  writeFileSync(join(path, 'owner.json'), JSON.stringify({ schemaVersion: 1, runId: randomUUID(), owner, createdAt, ...more }), { mode: 0o600 });
  return path;
}

describe('a rehearsal that was killed with everything that would have cleaned up after it', { skip: LINUX_ONLY }, () => {
  test('is found, told and removed: its processes, then its folders; what lives is left alone', async () => {
    await using run = new CommandProcess(['rehearse']);
    await run.said('generation 1 is issued');
    const whileItRuns = answerOf(run.temporary, []);
    assert.deepEqual(whileItRuns.removed, []);
    assert.ok(whileItRuns.inUse.length > 0);

    const inOrder = ['ql3-run-guard', 'pod-guard', 'postgres-guard', 'embedded/main.ts'].flatMap((part) => run.processes().filter(({ commandLine }) => commandLine.includes(part)));
    // none of them may see the end of another, and tidy up after it
    const all = [...new Set(inOrder.map(({ pid }) => pid)), run.child.pid as number];
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of all) signalIfThere(pid, signal);
    await run.ended;
    const pids = (): readonly number[] => run.processes().map(({ pid }) => pid);
    const before = pids();
    assert.ok(run.processes().some(({ commandLine }) => commandLine.includes('bin/postgres')), 'expected the database to have outlived what was killed');

    const planned = answerOf(run.temporary, ['--dry-run']);
    const told = planned.removed.filter((name) => name.startsWith('process ')).map((name) => Number(name.split(' ')[1]));
    // what ends by itself meanwhile may be told or not
    assert.ok(told.length > 0 && told.every((pid) => before.includes(pid)) && pids().every((pid) => told.includes(pid)), planned.removed.join('\n'));
    assert.deepEqual(planned.inUse, []);
    assert.deepEqual(answerOf(run.temporary, ['--older-than=1h']).removed, []);
    assert.equal(clean(run.temporary, ['--dry-run', '--expect-none']).status, 6);

    const [runId] = new Set(planned.leavings.flatMap((leaving) => leaving.runId ?? []));
    const { status, stdout } = clean(run.temporary, [`--run=${runId}`]);
    assert.equal(status, 0);
    assert.match(stdout, /^removed:\n {2}process {4}\d+ \(.*its process \d+ is gone/);
    assert.deepEqual(run.processes(), []);
    // it was made before there was a run, and is empty
    const [folder, ...others] = answerOf(run.temporary, []).removed;
    assert.match(folder ?? '', /\/ql3-rehearsal-/);
    assert.deepEqual(others, []);
    // what ended by itself meanwhile was not removed
    for (const name of planned.removed.filter((each) => (each.startsWith('folder ') || each.endsWith('(postgres)')) && each !== folder)) assert.ok(stdout.includes(name.slice(name.indexOf(' ') + 1)), `${name} in\n${stdout}`);
    assert.deepEqual(await run.leavings(), []);
    const { removed, inUse } = answerOf(run.temporary, []);
    assert.deepEqual([removed, inUse], [[], []]);
  });
});

test('only what is old enough, and only that run’s, goes when that is asked for; a folder with a report is its reader’s', (t) => {
  const parent = folderOf(t);
  const old = leave(parent, 'ql3-evidence-old', dead(), new Date(Date.now() - 13 * 3_600_000).toISOString());
  const fresh = leave(parent, 'ql3-evidence-fresh', dead());
  const live = leave(parent, 'ql3-evidence-live', identifyProcess(process.pid));
  const empty = leave(parent, 'ql3-rehearsal-empty', dead());
  const reported = leave(parent, 'ql3-rehearsal-reported', dead());
  writeFileSync(join(reported, 'report.json'), '{}');
  assert.deepEqual(answerOf(parent, ['--older-than=12h']).removed, [`folder ${old}`]);
  assert.match(clean(parent, ['--older-than=12h']).stdout, /^nothing is left of what was asked for; of other runs, or younger, are \d+,/);
  assert.deepEqual(answerOf(parent, [`--run=${randomUUID()}`]), { schemaVersion: 1, dryRun: false, removed: [], inUse: [], kept: [], failures: [], leavings: [], dockerSkipped: answerOf(parent, ['--dry-run']).dockerSkipped });
  const { removed, inUse } = answerOf(parent, []);
  assert.deepEqual([removed.toSorted(), inUse], [[`folder ${fresh}`, `folder ${empty}`].toSorted(), [`folder ${live}`]]);
  assert.deepEqual(readdirSync(parent).toSorted(), ['ql3-evidence-live', 'ql3-rehearsal-reported']);
});

test('a process that carries the mark of a dead folder’s Pods is ended, and no other', { skip: LINUX_ONLY }, async (t) => {
  const parent = folderOf(t);
  const [mine, other] = [`QL3_EMBEDDED_RUN=${randomUUID()}`, `QL3_EMBEDDED_RUN=${randomUUID()}`];
  const processes = [mine, other].map((marker) => spawn('/bin/sleep', ['1000'], { stdio: 'ignore', detached: true, env: Object.fromEntries([marker.split('=')]) }));
  t.after(() => processes.forEach((each) => each.kill('SIGKILL')));
  await Promise.all(processes.map((each) => once(each, 'spawn')));
  leave(parent, 'ql3-embedded-node-dead', dead(), undefined, { marker: mine });
  leave(parent, 'ql3-embedded-node-live', identifyProcess(process.pid), undefined, { marker: other });
  const [ended, lives] = processes as [ChildProcess, ChildProcess];
  const exit = once(ended, 'exit');
  assert.deepEqual(answerOf(parent, []).removed.map((name) => name.split(' ').slice(0, 2).join(' ')), [`process ${ended.pid}`, `folder ${join(parent, 'ql3-embedded-node-dead')}`]);
  assert.deepEqual(await exit, [null, 'SIGKILL']);
  assert.equal(lives.exitCode ?? lives.signalCode, null);
});

test('an age or a run that cannot be read is refused', (t) => {
  const parent = folderOf(t);
  const folder = leave(parent, 'ql3-evidence-old', dead());
  for (const option of ['--older-than=', '--older-than=0h', '--older-than=12', '--older-than=1w', '--older-than=-1h', '--run=all', '--run=']) assert.equal(clean(parent, [option]).status, 2, option);
  assert.ok(existsSync(folder));
});

test('locks of killed first runs are leavings, those of a live one are in use', (t) => {
  const base = folderOf(t);
  const lock = (name: string, owners: string): void => {
    mkdirSync(join(base, name));
    writeFileSync(join(base, name, 'owners'), owners);
  };
  const { pid, startTicks } = identifyProcess(process.pid);
  lock('install.lock', `${pid} 1`);
  lock('install-a1B2c3', `${pid} 1\n${pid} ${startTicks ?? ''}`);
  lock('other', `${pid} 1`);
  mkdirSync(join(base, 'install-nobody'));
  const found = new Map(findInstallLocks(base).leavings.map(({ name, inUse }) => [name, inUse]));
  assert.deepEqual(found, new Map([[join(base, 'install-a1B2c3'), true], [join(base, 'install.lock'), false]]));
});

test('what a run has left in Docker goes by label, and by nothing else', async (t) => {
  const connection = await connectToDocker().catch(() => null);
  if (connection === null) return t.skip('there is no Docker here');
  const { docker } = connection;
  const [mine, other] = [randomUUID(), randomUUID()];
  const labels = (runId: string): Record<string, string> => ({ ...labelsOfRun(runId), 'io.qinglong.live.owner-start': '1' });
  const volumes = [mine, other].map((runId) => `ql3-clean-test-${runId}`) as [string, string];
  t.after(async () => void (await Promise.allSettled(volumes.map((name) => docker.getVolume(name).remove()))));
  await docker.createVolume({ Name: volumes[0], Labels: labels(mine) });
  await docker.createVolume({ Name: volumes[1], Labels: labels(other) });
  const { status, stdout } = clean(folderOf(t), ['--json', `--run=${mine}`], {});
  assert.equal(status, 0);
  assert.deepEqual((JSON.parse(stdout) as Answer).removed, [`volume ${volumes[0]}`]);
  await assert.rejects(docker.getVolume(volumes[0]).inspect(), { statusCode: 404 });
  await docker.getVolume(volumes[1]).inspect();
});

// always of one run: other tests have killed runs in the same Docker, which are theirs to clean
test('what a run that lives has in Docker stays, whoever names it', async (t) => {
  const connection = await connectToDocker().catch(() => null);
  if (connection === null) return t.skip('there is no Docker here');
  const { docker } = connection;
  const runId = randomUUID();
  const name = `ql3-clean-test-${runId}`;
  t.after(async () => void (await docker.getVolume(name).remove().catch(() => undefined)));
  await docker.createVolume({ Name: name, Labels: { ...labelsOfRun(runId) } });
  const { inUse, removed } = JSON.parse(clean(folderOf(t), ['--json', `--run=${runId}`], {}).stdout) as Answer;
  assert.deepEqual([inUse, removed], [[`volume ${name}`], []]);
  await docker.getVolume(name).inspect();
});
