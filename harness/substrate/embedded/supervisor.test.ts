import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync, watch } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { startSupervisor, type Supervisor, SupervisorError } from './supervisor.ts';

const DEADLINE_MS = 20_000;
/** Ends on nothing but SIGKILL, and has a child in a session of its own that does not either. */
const UNDYING = `
import { spawn } from 'node:child_process';
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
setInterval(() => {}, 60_000);
spawn(process.execPath, ['-e', 'setInterval(() => {}, 60000)'], { stdio: 'ignore', detached: true });
console.log('ready');
`;

/** Processes whose command line or environment names the folder. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && mentions(name, folder));
}

function mentions(pid: string, text: string): boolean {
  try {
    return ['cmdline', 'environ'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(text));
  } catch {
    return false;
  }
}

/** Waits on the folder's own disappearance, which is the last thing that a clean-up does. */
async function waitUntilGone(...folders: string[]): Promise<void> {
  for (const deadline = performance.now() + DEADLINE_MS; performance.now() < deadline; ) {
    const left = await Promise.all(folders.map((folder) => stat(folder).catch(() => null)));
    const processes = folders.flatMap(processesOf);
    if (left.every((found) => found === null) && processes.length === 0) return;
    // Another process does the work and nobody is left to tell: looking again is all there is.
    await setTimeout(50);
  }
  assert.fail(`left after ${DEADLINE_MS} ms: ${folders.flatMap(processesOf).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')).join('; ')}`);
}

describe('the supervisor', { skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  let base: string;
  let supervisor: Supervisor | undefined;
  before(async () => {
    base = await mkdtemp(join(tmpdir(), 'supervisor-test-'));
    await mkdir(join(base, 'image', 'app'), { recursive: true });
    await writeFile(join(base, 'image', 'app', 'main.mjs'), UNDYING);
  });
  afterEach(() => supervisor?.stop());
  after(() => rm(base, { recursive: true, force: true }));

  async function start(name: string, postgres: object | null = null): Promise<Supervisor> {
    const images = { 'undying:1': { rootDirectory: join(base, 'image'), entrypoint: ['node', '/app/main.mjs'], env: {}, imageId: 'sha256:1' } };
    supervisor = await startSupervisor({ directory: join(base, name), images, postgres });
    return supervisor;
  }

  function kubectl({ facts }: Supervisor, ...args: string[]): string {
    return execFileSync('kubectl', ['--kubeconfig', facts.kubeconfigPath, ...args], { encoding: 'utf8' });
  }

  /** The node's folder, as a Pod sees it. */
  function runPod(running: Supervisor): string {
    kubectl(running, 'run', 'undying', '--image=undying:1');
    kubectl(running, 'wait', '--for=condition=Ready', 'pod/undying', '--timeout=20s');
    const marked = readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && mentions(pid, `KUBERNETES_SERVICE_PORT=${running.facts.apiPort}\0`));
    const environment = readFileSync(`/proc/${marked}/environ`, 'utf8').split('\0');
    return environment.find((variable) => variable.startsWith('QL3_EMBEDDED_HOSTS_FILE='))?.split('=')[1]?.replace(/\/hosts\/.*/, '') ?? '';
  }

  it('gives a cluster and a database that answer, and leaves nothing behind', async () => {
    const running = await start('whole', {});
    assert.equal((await stat(running.facts.kubeconfigPath)).mode & 0o777, 0o600);
    assert.match(kubectl(running, 'get', 'nodes'), /embedded-node +Ready/);
    const socket = createConnection(running.facts.postgres?.port ?? 0, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
    const folder = runPod(running);
    const exit = await running.stop();
    assert.deepEqual([exit.code, exit.signal], [0, null]);
    await waitUntilGone(join(base, 'whole'), folder);
  });

  it('lets no Pod and no folder outlive kill -9', async () => {
    const running = await start('killed', {});
    const folder = runPod(running);
    process.kill(running.pid, 'SIGKILL');
    const exit = await running.exited;
    assert.equal(exit.signal, 'SIGKILL');
    await waitUntilGone(join(base, 'killed'), folder);
  });

  it('ends when its parent has gone without a word', async () => {
    const script = `
      const { startSupervisor } = await import(${JSON.stringify(import.meta.resolve('./supervisor.ts'))});
      const supervisor = await startSupervisor({ directory: process.argv[1], images: {}, postgres: null });
      require('fs').writeFileSync(process.argv[2], String(supervisor.pid));
      process.kill(process.pid, 'SIGKILL');
    `;
    const parent = spawn(process.execPath, ['-e', `(async () => {${script}})()`, join(base, 'orphaned'), join(base, 'pid')], { stdio: 'inherit' });
    const [, signal] = await once(parent, 'exit');
    assert.equal(signal, 'SIGKILL');
    await waitUntilGone(join(base, 'orphaned'));
  });

  it('says why it could not start, and cleans up', async () => {
    await writeFile(join(base, 'occupied'), 'a file where a folder has to be');
    await assert.rejects(start('occupied'), (error) => error instanceof SupervisorError && error.code === 'QL3_EMBEDDED_SUPERVISOR_START_FAILED' && /EEXIST/.test(error.message));
  });

  it('stops when it is told to while it starts', async () => {
    const controller = new AbortController();
    // before it is started: it may have made its folder when this process comes to look
    const watcher = watch(base);
    const begun = once(watcher, 'change');
    const starting = startSupervisor({ directory: join(base, 'aborted'), images: {}, postgres: {} }, controller.signal);
    await begun;
    watcher.close();
    controller.abort(new Error('changed my mind'));
    await assert.rejects(starting, /changed my mind/);
    await waitUntilGone(join(base, 'aborted'));
  });
});
