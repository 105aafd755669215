import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { readFences } from './fences.ts';
import { readMarkdown } from './markdown.ts';
import { startGuideWorld } from './testing/guide-world.ts';

const { QL3_K3S_IMAGE: cluster, QL3_POSTGRES_IMAGE: database, QL3_NODE_IMAGE: node } = process.env;
const HALF_AN_HOUR_MS = 30 * 60_000;

function missing(): string | false {
  if (cluster === undefined || database === undefined || node === undefined) return 'QL3_K3S_IMAGE, QL3_POSTGRES_IMAGE and QL3_NODE_IMAGE name the images of a cluster to try the guide on';
  for (const [tool, argument] of [['docker', 'version'], ['kubectl', 'version --client'], ['jq', '--version'], ['psql', '--version'], ['openssl', 'version']] as const) {
    try {
      execFileSync(tool, argument.split(' '), { stdio: 'ignore' });
    } catch {
      return `no ${tool}`;
    }
  }
  return false;
}

/** What a step printed, and each line of it that is JSON. */
function parts(output: string): ReadonlyMap<string, { readonly text: string; readonly lines: readonly Record<string, unknown>[] }> {
  const steps = output.split(/^=== step /m).slice(1);
  return new Map(steps.map((step) => {
    const [name = '', ...rest] = step.split('\n');
    const lines = rest.filter((line) => line.startsWith('{"schemaVersion"')).map((line) => JSON.parse(line) as Record<string, unknown>);
    return [name, { text: rest.join('\n'), lines }];
  }));
}

test('docs/operating.md, step by step on a cluster and a PostgreSQL in Docker', { skip: missing(), timeout: HALF_AN_HOUR_MS }, async () => {
  const steps = readFences(readMarkdown('docs/operating.md')).filter(({ language, attributes }) => language === 'sh' && attributes['step'] !== undefined);
  await using world = await startGuideWorld({ cluster: cluster!, database: database!, node: node! });
  const replaced: Readonly<Record<string, string>> = { settings: world.settings, push: world.push };
  const script = steps.map(({ attributes, text }) => `echo "=== step ${attributes['step']}"\n${replaced[attributes['step'] as string] ?? text}`).join('\n');

  const { output, exitCode } = await world.run(script);

  assert.equal(exitCode, 0, output.slice(-4_000));
  const told = parts(output);
  const line = (step: string, event: string) => told.get(step)?.lines.find((each) => each['event'] === event);
  const workerEvents = (step: string) => told.get(step)?.lines.filter(({ component, event }) => component === 'qinglong3-worker' && event !== 'runtime_diagnostic').map(({ event }) => event);
  for (const step of ['first-credential', 'rotation']) {
    assert.deepEqual([line(step, 'execution_completed')?.['executionStatus'], line(step, 'execution_completed')?.['tokenRequestUsed']], ['succeeded', true], step);
    assert.deepEqual(workerEvents(step), ['starting', 'reconciled', 'registered', 'active'], step);
  }
  for (const step of ['recovery-pass', 'rotation']) {
    const deliveries = (line(step, 'recovery_completed')?.['deliveries'] ?? []) as { status: string }[];
    assert.deepEqual(deliveries.map(({ status }) => status), ['completed'], step);
  }
  assert.match(told.get('recovery-pass')?.text ?? '', /No resources found/);
  assert.deepEqual([line('same-command', 'execution_completed')?.['executionStatus'], line('same-command', 'execution_completed')?.['tokenRequestUsed']], ['existing', false]);
  assert.equal(line('recover-execution', 'recovery_completed')?.['status'], 'existing');
  assert.deepEqual([line('rotation', 'registered')?.['generation'], line('identity', 'registered')?.['generation']], [2, 3]);
  assert.equal(line('revoke-identity', 'trust_reloaded')?.['revokedCertificates'], 1);
  assert.match(told.get('revoke-identity')?.text ?? '', /^identity-a is let in: status \d+$[^]*^identity-a is refused: \w+$/m);
  assert.match(told.get('watch')?.text ?? '', /^ql3-worker-1\|online\|3\|/m);
  assert.match(told.get('watch')?.text ?? '', /^credential-2\|4\|previous_revoked$/m);
  assert.deepEqual(line('upgrade', 'database_setup_completed')?.['applied'], []);
  assert.match(told.get('upgrade')?.text ?? '', /deployment "ql3-worker" successfully rolled out/);
  assert.match(told.get('remove')?.text ?? '', /^ql3-worker-1\|offline$/m);
});
