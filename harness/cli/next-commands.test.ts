import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedRun } from '../run/testing/run-ends.ts';
import { nextCommands } from './next-commands.ts';

test('what is removed after a failure is its folder, or the one that the run made for itself, never one that was named', () => {
  const end = { ...failedRun(), failureDirectory: '/tmp/ql3-rehearsal-Ab12/report.json.failure-7b1f6c1e' };
  const removal = (ownFolder: string | null): string | undefined => nextCommands(end, ownFolder).find(({ title }) => title === 'clean')?.command;
  assert.equal(removal(null), `rm -r ${end.failureDirectory}`);
  assert.equal(removal('/tmp/ql3-rehearsal-Ab12'), 'rm -r /tmp/ql3-rehearsal-Ab12');
  const kept = { ...end, failure: { ...end.failure, files: [{ path: 'kubeconfig', kind: 'kubeconfig' as const, of: 'the cluster', sizeBytes: 1, sha256: 'a'.repeat(64) }] } };
  assert.deepEqual(nextCommands(kept, null).slice(-2).map(({ command }) => command), [`npx ql3-evidence clean --run=${end.failure.runId}`, `rm -r ${end.failureDirectory}`]);
});
