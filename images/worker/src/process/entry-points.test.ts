import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { suite, test } from 'node:test';

import { EntryPoint } from '../../testing/entry-point.ts';

void suite('entry points', () => {
  for (const [file, variable] of [['worker.ts', 'QL3_WORKER_CREDENTIAL_TOKEN_FILE'], ['init.ts', 'QL3_INIT_SOURCE_ROOT'], ['actor.ts', 'QL3_ACTOR_POD_UID']] as const) {
    void test(`${file} --help tells what it needs; another argument is a usage error`, async () => {
      await using help = new EntryPoint(file, ['--help'], {});
      assert.equal(await help.exitCode(), 0);
      assert.match(help.output.join('\n'), new RegExp(`${variable}\\n.*required`, 's'));
      await using wrong = new EntryPoint(file, ['--version'], {});
      assert.equal(await wrong.exitCode(), 64);
    });
  }

  void test('a Worker with a bad configuration tells all of it, touches no file and exits 1', async () => {
    const root = '/tmp/ql3-worker-never-made';
    await using worker = new EntryPoint('worker.ts', [], { QL3_WORKER_ID: '.', QL3_WORKER_JOURNAL_ROOT: root, QL3_WORKER_CADENCE_MS: '1' });
    const failed = await worker.event('process_failed', { code: 'WORKER_CONFIGURATION_INVALID', workerId: null });
    const names = (failed['problems'] as { name: string }[]).map((problem) => problem.name);
    assert.ok(['QL3_WORKER_ID', 'QL3_WORKER_CADENCE_MS', 'QL3_WORKER_CONTROL_ORIGIN', 'QL_DEPLOYMENT_PROFILE'].every((name) => names.includes(name)));
    assert.equal(await worker.exitCode(), 1);
    await assert.rejects(access(root));
  });
});
