import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const NO_DOCKER = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };

async function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number; stdout: string; stderr: string; tookMs: number }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; stdout: string; stderr: string; tookMs: number }>();
  const startedAtMs = performance.now();
  execFile(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env }, maxBuffer: 1 << 24 }, (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr, tookMs: performance.now() - startedAtMs }));
  return await promise;
}

interface Answer {
  readonly substrates: Readonly<Record<string, { readonly canRun: boolean }>>;
  readonly checks: readonly { readonly name: string; readonly substrate: string; readonly state: string; readonly found: string; readonly expected: string; readonly cure: string | null }[];
}

describe('the command doctor', () => {
  it('without Docker: exit 3 for K3s, with the reason and the cure in one JSON document', async () => {
    const { code, stdout } = await start(['doctor', '--substrate=k3s', '--json'], NO_DOCKER);
    const { substrates, checks } = JSON.parse(stdout) as Answer;
    assert.deepEqual([code, substrates], [3, { k3s: { canRun: false } }]);
    const docker = checks.find(({ name }) => name === 'docker: DOCKER_HOST');
    assert.deepEqual([docker?.state, docker?.substrate], ['failed', 'k3s']);
    assert.match(docker?.found ?? '', /no such socket/);
    assert.match(docker?.cure ?? '', /DOCKER_HOST/);
    for (const check of checks) assert.deepEqual(Object.keys(check), ['name', 'substrate', 'state', 'found', 'expected', 'cure', 'reason'], check.name);
  });

  it('without Docker: exit 0 for the embedded cluster, in words on stdout', async () => {
    const { code, stdout } = await start(['doctor', '--substrate=embedded'], NO_DOCKER);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^embedded: can run$/m);
    assert.doesNotMatch(stdout, /docker:/);
  });

  it('looks at the places that report and bundle will go to, when they are named', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ql3-places-')));
    const { code, stdout } = await start(['doctor', '--substrate=embedded', `--report=${folder}/new.json`, `--bundle=${folder}/none/new.tar`, '--json'], NO_DOCKER);
    const { substrates, checks } = JSON.parse(stdout) as Answer;
    const left = readdirSync(folder);
    rmSync(folder, { recursive: true });
    assert.deepEqual([code, substrates, left], [3, { embedded: { canRun: false } }, []]);
    assert.match(checks.find(({ name }) => name === 'destination: report')?.found ?? '', /^\d+ MiB and .* files free in \//);
    assert.deepEqual(checks.filter(({ state }) => state === 'failed').map(({ name, found }) => [name, found]), [['destination: bundle', `the folder ${folder}/none does not exist`]]);
  });

  it('under its former name it looks at the release path', async () => {
    const { code, stdout } = await start(['preflight', '--json'], NO_DOCKER);
    assert.deepEqual([code, Object.keys((JSON.parse(stdout) as Answer).substrates)], [3, ['k3s']]);
  });
});

describe('the command plan', () => {
  it('tells what a run would do, and does none of it', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ql3-plan-')));
    const { code, stdout, stderr } = await start(['plan', '--substrate=k3s', `--report=${folder}/new.json`, `--bundle=${folder}/new.tar`, '--json'], { ...NO_DOCKER, TMPDIR: folder });
    const left = readdirSync(folder);
    rmSync(folder, { recursive: true });
    assert.deepEqual([code, left], [0, []], stderr);
    const { steps, writes, objects } = JSON.parse(stdout) as { steps: unknown[]; writes: { path: string }[]; objects: { file: string }[] };
    assert.ok(steps.length > 10 && objects.every(({ file }) => file.startsWith('manifests/')));
    assert.deepEqual(writes.slice(0, 2).map(({ path }) => path), [`${folder}/new.json`, `${folder}/new.tar`]);
  });

  it('refuses a path that the run would refuse', async () => {
    const { code, stderr } = await start(['plan', '--report=relative.json']);
    assert.equal(code, 2);
    assert.match(stderr, /QL3_PATH_REFUSED/);
  });
});
