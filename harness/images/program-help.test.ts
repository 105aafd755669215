import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PINNED_BASE_IMAGE } from '../../evidence/pins.ts';
import { EXECUTOR_VARIABLES, MANAGER_VARIABLES } from '../../images/cluster-admin/src/command-line/variables.ts';
import { CONTROL_VARIABLES } from '../../images/cluster-control/src/configuration/control-variables.ts';
import { ACTOR_SETTINGS } from '../../images/worker/src/configuration/actor-settings.ts';
import { INIT_SETTINGS } from '../../images/worker/src/configuration/init-settings.ts';
import type { Setting } from '../../images/worker/src/configuration/setting.ts';
import { WORKER_SETTINGS } from '../../images/worker/src/configuration/worker-settings.ts';
import type { VariableRow } from '../../images/core/program-help.ts';
import type { Component } from '../../evidence/observation.ts';
import { connectToDocker } from '../substrate/k3s/docker-connection.ts';
import { buildImage } from './build-image.ts';
import { bundleComponent } from './bundle.ts';
import { COMPONENTS } from './components.ts';
import { prepareContext } from './image-context.ts';
import { NODE_IMAGE_VARIABLE } from './pins.ts';
import { resolveImage } from './resolve-image.ts';
import { readSourceFiles } from './source-files.ts';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const signal = AbortSignal.timeout(900_000);

const ofSettings = (settings: Readonly<Record<string, Setting<unknown>>>) => Object.entries(settings).flatMap(([name, { fallback }]) => (fallback === undefined ? [name] : []));
const ofTable = (prefix: string, rows: readonly VariableRow[], except: readonly string[] = []) => rows.flatMap(({ name, need }) => (need === 'required' && !except.includes(name) ? [`${prefix}${name}`] : []));
const EXECUTOR = 'QL3_WORKER_CREDENTIAL_EXECUTOR_';

interface Program {
  readonly component: Component;
  readonly name: string;
  /** What it must be given when it is not asked for help. */
  readonly args: readonly string[];
  readonly required: readonly string[];
  readonly exit: number;
  readonly code: string;
}

const PROGRAMS: readonly Program[] = [
  { component: 'worker', name: 'worker', args: [], required: ofSettings(WORKER_SETTINGS), exit: 1, code: 'WORKER_CONFIGURATION_INVALID' },
  { component: 'worker', name: 'init', args: ['worker'], required: ofSettings(INIT_SETTINGS), exit: 1, code: 'WORKER_CONFIGURATION_INVALID' },
  { component: 'worker', name: 'actor', args: ['run'], required: ofSettings(ACTOR_SETTINGS), exit: 1, code: 'WORKER_CONFIGURATION_INVALID' },
  { component: 'control', name: 'control', args: [], required: [...ofTable('QL3_CLUSTER_CONTROL_', CONTROL_VARIABLES), 'QL3_POSTGRES_WORKER_INGRESS_URL_FILE'], exit: 64, code: 'QL3_CLUSTER_CONTROL_CONFIGURATION_INVALID' },
  { component: 'admin', name: 'executor', args: [], required: [...ofTable(EXECUTOR, EXECUTOR_VARIABLES), 'QL3_POSTGRES_WORKER_CREDENTIAL_EXECUTOR_HOST'], exit: 64, code: 'QL3_CLUSTER_ADMIN_USAGE' },
  { component: 'admin', name: 'recovery', args: ['deliveries'], required: [...ofTable(EXECUTOR, EXECUTOR_VARIABLES, ['COMMAND_FILE', 'PEPPER_FILE']), 'QL3_POSTGRES_WORKER_CREDENTIAL_EXECUTOR_HOST'], exit: 64, code: 'QL3_CLUSTER_ADMIN_USAGE' },
  { component: 'admin', name: 'manage', args: ['plan'], required: [...ofTable('QL3_WORKER_CREDENTIAL_MANAGER_', MANAGER_VARIABLES), 'QL3_POSTGRES_WORKER_CREDENTIAL_MANAGER_HOST'], exit: 64, code: 'QL3_CLUSTER_ADMIN_USAGE' },
  { component: 'admin', name: 'database', args: ['roles'], required: ['QL3_DATABASE_SETUP_PASSWORDS_FILE', 'QL3_POSTGRES_SUPERUSER_HOST'], exit: 64, code: 'QL3_CLUSTER_ADMIN_USAGE' },
  { component: 'admin', name: 'target', args: [], required: ofTable(EXECUTOR, EXECUTOR_VARIABLES, ['ENABLED', 'COMMAND_FILE', 'PEPPER_FILE']), exit: 64, code: 'QL3_CLUSTER_ADMIN_USAGE' },
];

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function start(command: string, args: readonly string[]): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  execFile(command, args, { env: { PATH: process.env['PATH'] }, signal }, (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }));
  return await promise;
}

function assertHelps({ code, stdout, stderr }: Ended, { name, required }: Program): void {
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, new RegExp(`^Usage: ${name}`, 'm'));
  assert.match(stdout, /Exit 0 /);
  assert.deepEqual(required.filter((variable) => !stdout.includes(variable)), [], 'variables that the help does not name');
}

/** Nothing on stdout that could be taken for an answer; on stderr one code, everything that is missing, and where to read on. */
function assertRefuses({ code, stdout, stderr }: Ended, { required, exit, code: expected }: Program): void {
  assert.deepEqual([code, stdout], [exit, ''], stderr);
  assert.ok(stderr.includes(expected), stderr);
  assert.deepEqual(required.filter((variable) => !stderr.includes(variable)), [], 'missing variables that it does not name');
  assert.match(stderr, /--help/);
}

describe('every program of the images, as a process', { concurrency: 2 }, () => {
  it('is tried here', () => {
    assert.deepEqual(PROGRAMS.map(({ component, name }) => `${component} ${name}`).sort(), Object.values(COMPONENTS).flatMap(({ component, entries }) => entries.filter((entry) => entry !== 'start').map((entry) => `${component} ${entry}`)).sort());
  });
  for (const program of PROGRAMS) {
    const path = join(ROOT, COMPONENTS[program.component].folder, 'src', `${program.name}.ts`);
    it(`${program.name} --help tells what it is and what it needs`, async () => assertHelps(await start(process.execPath, [path, '--help']), program));
    it(`${program.name} without configuration names all that is missing at once`, async () => assertRefuses(await start(process.execPath, [path, ...program.args]), program));
  }
});

const connection = await connectToDocker().catch((error: Error) => error);

describe('docker run IMAGE', { skip: connection instanceof Error ? connection.message : false }, () => {
  for (const component of Object.keys(COMPONENTS) as Component[]) {
    it(`${component}: --help tells of its programs and the variables of its own one; each program is called by its name`, async (context) => {
      assert.ok(!(connection instanceof Error));
      const { docker } = connection;
      const base = await resolveImage(docker, PINNED_BASE_IMAGE, { override: process.env[NODE_IMAGE_VARIABLE], pull: 'never', signal }).catch((error: Error) => error);
      if (base instanceof Error) return context.skip(`no base image here: ${base.message}`);
      const directory = await mkdtemp(join(tmpdir(), 'ql3-help-'));
      context.after(() => rm(directory, { recursive: true }));
      const bundle = await bundleComponent(component, { directory: ROOT, files: await readSourceFiles(ROOT, signal) }, directory);
      const tag = `${COMPONENTS[component].repository}:test-${randomUUID()}`;
      context.after(() => docker.getImage(tag).remove({ force: true }));
      const image = await prepareContext(bundle.rootDirectory, join(ROOT, COMPONENTS[component].folder, 'Dockerfile'));
      await buildImage(docker, { component, context: image, base, tag, revision: 'd'.repeat(40), version: '0.0.0', labels: { 'io.qinglong.live.test': 'help' } }, signal);
      const run = (...args: string[]) => start('docker', ['run', '--rm', '--read-only', '--network=none', tag, ...args]);

      const own = PROGRAMS.filter((program) => program.component === component);
      const [first] = own;
      assert.ok(first);
      const help = await run('--help');
      assertHelps(help, first);
      for (const { name } of own) assert.match(help.stdout, new RegExp(`^  ${name} +\\S`, 'm'));
      assertRefuses(await run(), first);
      for (const program of own) assertHelps(await run(program.name, '--help'), program);
      for (const program of own) assertRefuses(await run(`/app/${program.name}.mjs`, ...program.args), program);
    });
  }
});
