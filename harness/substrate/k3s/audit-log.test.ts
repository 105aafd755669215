import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { AuditLog } from './audit-log.ts';
import { execInContainer } from './container-exec.ts';
import { connectToDocker } from './docker-connection.ts';
import { labelsOfRun } from './run-labels.ts';
import { removeRun } from './run-objects.ts';

const image = process.env.QL3_NODE_IMAGE ?? 'node:24.18.0-bookworm-slim';
const docker = await connectToDocker().then((connection) => connection.docker, () => undefined);
const isThere = await docker?.getImage(image).inspect().then(() => true, () => false);
const skip = isThere ? false : `no Docker, or no image ${image}`;
const PATH = '/tmp/audit.log';

test('a log that grows is given whole, by whole lines, and what was read once is not read again', { skip }, async (context) => {
  assert.ok(docker);
  const runId = randomUUID();
  context.after(() => removeRun(docker, runId));
  const container = await docker.createContainer({ Image: image, Entrypoint: ['node', '--eval', 'setInterval(() => {}, 1 << 30)'], Labels: { ...labelsOfRun(runId) }, HostConfig: { NetworkMode: 'none' } });
  await container.start();
  const signal = AbortSignal.timeout(120_000);
  const inContainer = async (program: string): Promise<void> => {
    const { exitCode, stderr } = await execInContainer(container, ['node', '--eval', program], { signal });
    assert.equal(exitCode, 0, stderr);
  };
  const log = new AuditLog(container, PATH);

  await assert.rejects(log.read(signal), { code: 'QL3_CLUSTER_ANSWER', message: /\/tmp\/audit\.log to be read .* exit code 1/ });

  await inContainer(`fs.writeFileSync('${PATH}', 'first\\nsecond ✓\\nthi')`);
  assert.deepEqual(await Promise.all([log.read(signal), log.read(signal)]), ['first\nsecond ✓\n', 'first\nsecond ✓\n']);

  await inContainer(`fs.writeSync(fs.openSync('${PATH}', 'r+'), 'FIRST'); fs.appendFileSync('${PATH}', 'rd\\nfour')`);
  assert.equal(await log.read(signal), 'first\nsecond ✓\nthird\n');
});
