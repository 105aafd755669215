/**
 * `npm run faults:k3s`: whole runs on K3s in Docker that are ended in the middle, by a signal, by `kill -9`, or by an Engine that is
 * restarted. They take minutes, so they are no part of `npm test`.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import Docker from 'dockerode';
import type { CommandProcess } from '../../../cli/testing/command-process.ts';
import { connectToDocker } from '../docker-connection.ts';
import { OVERRIDES } from '../platform-images.ts';
import { listRunObjects } from '../run-objects.ts';
import { RunInDocker } from './run-in-docker.ts';
import { SecondEngine, whyNoSecondEngine } from './second-engine.ts';

const RUN = ['run', '--report=REPORT', '--pull=never'];
const connection = await connectToDocker().catch((error: Error) => error);
const docker = connection instanceof Error ? new Docker() : connection.docker;
const images = Object.values(OVERRIDES).map((variable) => process.env[variable]);
const skip = connection instanceof Error ? connection.message : images.includes(undefined) ? `the stand-ins are not named: ${Object.values(OVERRIDES).join(', ')}` : false;

function assertEvidence(run: CommandProcess): string {
  const { failureDirectory } = run;
  assert.ok(failureDirectory !== null, `expected a folder of evidence:\n${run.stderr}`);
  const files = readdirSync(failureDirectory);
  for (const file of ['error.txt', 'observations.jsonl', 'k3s.log', 'postgres.log']) assert.ok(files.includes(file), `expected ${file} among ${files.join(', ')}`);
  assert.deepEqual(run.sharedFiles(), []);
  return failureDirectory;
}

describe('a whole run', { skip }, () => {
  for (const [signal, moment] of [['SIGINT', 'generation 2 is rotated'], ['SIGTERM', 'generation 3 is rotated'], ['SIGHUP', 'opens session 1']] as const) {
    test(`${signal} when it says “${moment}”: dies by it, keeps the evidence, and leaves nothing behind`, async () => {
      await using run = new RunInDocker(docker, RUN);
      await run.said(moment);
      run.child.kill(signal);
      assert.deepEqual(await run.ended, { code: null, signal }, run.stderr);
      assertEvidence(run);
      assert.deepEqual([await run.objects(), await run.leavings()], [[], []]);
    });
  }

  for (const moment of ['generation 1 is issued', 'generation 4 is rotated']) {
    test(`SIGKILL when it says “${moment}”: \`clean\` takes all that is left, and nothing stays`, async () => {
      await using run = new RunInDocker(docker, RUN);
      await run.said(moment);
      const runId = await run.runId();
      await run.kill();
      const { code, answer } = await run.clean(`--run=${runId}`);
      assert.equal(code, 0, JSON.stringify(answer));
      assert.deepEqual([await run.objects(), await run.leavings()], [[], []]);
    });
  }
});

describe('an Engine that is restarted in the middle of a run', { skip: skip || whyNoSecondEngine() }, () => {
  test('ends the run with a coded error; the evidence is kept, and `clean` leaves nothing', async (context) => {
    await using engine = await SecondEngine.start({ isolated: true });
    await engine.copyImages(images as string[]);
    const before = await inventoryOf(engine.docker);
    const env = { DOCKER_HOST: `unix://${engine.socket}` };
    await using run = new RunInDocker(engine.docker, RUN, { env, entrance: engine.entrance });
    await run.said('generation 2 is rotated');
    const runId = await run.runId();
    await engine.stop();
    await engine.launch();
    const { code } = await run.ended;
    context.diagnostic(run.stderr.slice(run.stderr.indexOf('\nfailed')));
    assert.equal(code, 1, run.stderr);
    assert.match(run.stderr, /QL3_PLATFORM_DIED: /);
    assert.match(readFileSync(join(assertEvidence(run), 'error.txt'), 'utf8'), /QL3_PLATFORM_DIED/);
    const cleaned = await run.clean(`--run=${runId}`);
    assert.equal(cleaned.code, 0, JSON.stringify(cleaned.answer));
    assert.deepEqual(await listRunObjects(engine.docker), []);
    assert.deepEqual([await inventoryOf(engine.docker), await run.leavings()], [before, []]);
  });
});

async function inventoryOf(engine: Docker): Promise<object> {
  const [containers, networks, { Volumes: volumes }, stored] = await Promise.all([engine.listContainers({ all: true }), engine.listNetworks(), engine.listVolumes(), engine.listImages({ all: true })]);
  return { containers: containers.map(({ Id }) => Id).sort(), networks: networks.map(({ Name }) => Name).sort(), volumes: (volumes ?? []).map(({ Name }) => Name).sort(), images: stored.map(({ Id }) => Id).sort() };
}
