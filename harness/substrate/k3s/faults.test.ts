import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type Docker from 'dockerode';
import type { CommandProcess } from '../../cli/testing/command-process.ts';
import { connectToDocker } from './docker-connection.ts';
import { OVERRIDES } from './platform-images.ts';
import { RunInDocker } from './testing/run-in-docker.ts';
import { buildTestImage, SLEEPER_PROGRAM } from './testing/test-image.ts';
import { SecondEngine, whyNoSecondEngine } from './testing/second-engine.ts';

/** Runs that cannot come far, as processes, on the images that the environment names. */
const IMPATIENT = fileURLToPath(new URL('testing/run-impatiently.ts', import.meta.url));
const RUN = ['run', '--report=REPORT', '--pull=never'];
const SLEEPER = 'ql3-test-sleeper:1';
const QUITTER = 'ql3-test-quitter:1';
const base = process.env[OVERRIDES.node];

const connection = await connectToDocker().catch((error: Error) => error);
const docker = connection instanceof Error ? undefined : connection.docker;
const skip = connection instanceof Error ? connection.message : Object.values(OVERRIDES).every((variable) => process.env[variable]) ? false : `the stand-ins are not named: ${Object.values(OVERRIDES).join(', ')}`;

before(async () => {
  if (skip !== false) return;
  await buildTestImage(docker as Docker, SLEEPER, { base: base as string, program: SLEEPER_PROGRAM });
  await buildTestImage(docker as Docker, QUITTER, { base: base as string, program: "console.error('level=fatal msg=\"nothing works\"'); process.exitCode = 7" });
});
after(async () => {
  if (skip === false) for (const image of [SLEEPER, QUITTER]) await (docker as Docker).getImage(image).remove({ force: true });
});

const make = (args: readonly string[], options: { program?: string; env?: NodeJS.ProcessEnv } = {}): RunInDocker => new RunInDocker(docker as Docker, args, options);

function evidenceOf(run: CommandProcess): string {
  const { failureDirectory } = run;
  assert.ok(failureDirectory !== null, `expected a folder of evidence:\n${run.stderr}`);
  assert.deepEqual(run.sharedFiles(), []);
  return failureDirectory;
}

describe('a run that cannot come far', { skip }, () => {
  test('an image that is not there is named before anything is started, and nothing is', async () => {
    await using run = make(RUN, { env: { [OVERRIDES.k3s]: 'ql3-absent:1' } });
    assert.deepEqual(await run.ended, { code: 3, signal: null }, run.stderr);
    assert.match(run.stderr, /QL3_ENVIRONMENT: [^]*ql3-absent:1 is missing/);
    assert.deepEqual([await run.objects(), await run.leavings()], [[], []]);
  });

  test('an image that is no cluster at all is told as what the Engine says of it', async () => {
    await using run = make(RUN, { env: { [OVERRIDES.k3s]: base } });
    assert.deepEqual(await run.ended, { code: 3, signal: null }, run.stderr);
    assert.match(run.stderr, /QL3_ENVIRONMENT: expected the Engine to start the cluster, got: .*"server".*is it the right one/);
    assert.deepEqual([await run.objects(), await run.leavings()], [[], []]);
  });

  test('a cluster whose container ends is told with its exit code and its last lines, which are kept', async () => {
    await using run = make(RUN, { env: { [OVERRIDES.k3s]: QUITTER } });
    assert.deepEqual(await run.ended, { code: 1, signal: null }, run.stderr);
    assert.match(run.stderr, /QL3_PLATFORM_DIED: expected the cluster to live as long as the run; its container ended with exit code 7\.[^]*nothing works/);
    assert.match(readFileSync(join(evidenceOf(run), 'k3s.log'), 'utf8'), /nothing works/);
    assert.deepEqual([await run.objects(), await run.leavings()], [[], []]);
  });

  test('a cluster that never comes up ends the run at its deadline; with --keep=on-failure it stays, how to look is told, and `clean` takes it', async () => {
    await using run = make(['REPORT', 'keep'], { program: IMPATIENT, env: { [OVERRIDES.k3s]: SLEEPER } });
    assert.deepEqual(await run.ended, { code: 3, signal: null }, run.stderr);
    assert.match(run.stderr, /QL3_ENVIRONMENT: expected the cluster to write \/etc\/rancher\/k3s\/k3s\.yaml within 10000 ms/);
    assert.match(readFileSync(join(evidenceOf(run), 'k3s.log'), 'utf8'), /asleep/);
    const kept = await run.objects();
    const runId = await run.runId();
    assert.deepEqual(kept.filter(({ kind }) => kind === 'container').map(({ name }) => name.replace(/^ql3-[0-9a-f]{8}-/, '')).sort(), ['k3s', 'postgres']);
    assert.match(run.stderr, new RegExp(`its containers: .*-k3s.*\n[^]*npx ql3-evidence clean --run=${runId}`));
    const { answer: plain } = await run.clean();
    assert.deepEqual([plain.removed.filter((name) => name.includes(runId.slice(0, 8))), await run.objects()], [[], kept]);
    assert.deepEqual(kept.map(({ kind, name }) => `${kind} ${name}`).filter((name) => !plain.kept.includes(name)), []);
    const { code, answer } = await run.clean(`--run=${runId}`);
    assert.equal(code, 0, JSON.stringify(answer));
    assert.deepEqual(kept.map(({ kind, name }) => `${kind} ${name}`).filter((name) => !answer.removed.includes(name)), []);
    assert.deepEqual(await run.objects(), []);
  });

  test('without it nothing stays', async () => {
    await using run = make(['REPORT'], { program: IMPATIENT, env: { [OVERRIDES.k3s]: SLEEPER } });
    assert.deepEqual(await run.ended, { code: 3, signal: null }, run.stderr);
    assert.deepEqual([await run.objects(), await run.leavings()], [[], []]);
  });
});

describe('a run that is ended while its cluster boots', { skip }, () => {
  test('SIGINT: dies by it, keeps the evidence, and leaves nothing behind', async () => {
    await using run = make(RUN);
    await run.hasContainer('-k3s');
    run.child.kill('SIGINT');
    assert.deepEqual(await run.ended, { code: null, signal: 'SIGINT' }, run.stderr);
    assert.ok(readdirSync(evidenceOf(run)).includes('k3s.log'));
    assert.deepEqual([await run.objects(), await run.leavings()], [[], []]);
  });

  test('SIGKILL: what is left is in use by nobody, and `clean` takes all of it, whose and no more', async () => {
    await using run = make(RUN);
    // the Engine goes on with what it was asked for: both are made, so that nothing comes after the removal
    await run.hasContainer('-k3s');
    await run.hasContainer('-postgres');
    const runId = await run.runId();
    assert.ok((await run.clean(`--run=${runId}`)).answer.inUse.length > 0, 'a run that lives is left alone');
    await run.kill();
    assert.equal((await run.clean(`--run=${runId}`)).code, 0);
    assert.deepEqual([await run.objects(), await run.leavings()], [[], []]);
  });
});

describe('an Engine with too little disk', { skip: skip || whyNoSecondEngine() }, () => {
  test('is refused before anything is started, with what it has and what is needed', async () => {
    await using engine = await SecondEngine.start({ diskBytes: 512 * 1024 * 1024 });
    await using run = make(RUN, { env: { DOCKER_HOST: `unix://${engine.socket}` } });
    assert.deepEqual(await run.ended, { code: 3, signal: null }, run.stderr);
    assert.match(run.stderr, /QL3_ENVIRONMENT: [^]*expected 15\.0 GiB free where Docker stores\n +found +0\.\d GiB free/);
    assert.deepEqual((await engine.docker.listNetworks()).map(({ Name }) => Name).filter((name) => name.startsWith('ql3-')), []);
    assert.deepEqual(await run.leavings(), []);
  });
});

describe('an Engine that is restarted while the cluster boots', { skip: skip || whyNoSecondEngine() }, () => {
  test('ends the run with a coded error; the evidence is kept, and `clean` leaves nothing', async () => {
    await using engine = await SecondEngine.start({ isolated: true });
    await engine.copyImages([base as string, process.env[OVERRIDES.postgres] as string]);
    await buildTestImage(engine.docker, SLEEPER, { base: base as string, program: SLEEPER_PROGRAM });
    await using run = new RunInDocker(engine.docker, RUN, { env: { DOCKER_HOST: `unix://${engine.socket}`, [OVERRIDES.k3s]: SLEEPER }, entrance: engine.entrance });
    await run.hasContainer('-k3s');
    await run.hasContainer('-postgres');
    const runId = await run.runId();
    await engine.stop();
    await engine.launch();
    assert.deepEqual(await run.ended, { code: 1, signal: null }, run.stderr);
    assert.match(run.stderr, /QL3_PLATFORM_DIED: /);
    assert.match(readFileSync(join(evidenceOf(run), 'error.txt'), 'utf8'), /QL3_PLATFORM_DIED/);
    const cleaned = await run.clean(`--run=${runId}`);
    assert.equal(cleaned.code, 0, JSON.stringify(cleaned.answer));
    assert.deepEqual([await run.objects(), await run.leavings()], [[], []]);
  });
});
