import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { assertEvidence } from '../faults/testing/expectations.ts';
import { assertAsPlanned, readBundleFolder } from '../plan/testing/assert-as-planned.ts';
import { CommandProcess } from './testing/command-process.ts';

/** Whole rehearsals as processes. They are slow, so each answers several questions, and two go on at a time. */
const REHEARSE = ['rehearse', '--report=REPORT', '--junit=REPORT.xml'];

async function assertNoSecrets(run: CommandProcess): Promise<void> {
  const outlets = await run.outlets();
  assert.ok([...outlets.keys()].some((name) => name.endsWith('.xml')), [...outlets.keys()].join('\n'));
  assert.ok(run.secrets.size > 50, `expected to know the run's secrets, got ${run.secrets.size} forms of them`);
  for (const [name, content] of outlets) {
    assert.deepEqual(run.secrets.heldBy(content), [], `${name} gives a secret away`);
    assert.doesNotMatch(content.toString('latin1'), /PRIVATE KEY|eyJhbGciOi|ql3w_[A-Za-z0-9_-]{40}/, name);
  }
}

describe('a rehearsal', { concurrency: 2, skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  test('passes beside another one, keeps its secrets and its files to itself, and leaves nothing behind', async () => {
    await using run = new CommandProcess([...REHEARSE, '--bundle=BUNDLE'], { umask: '000', watchSecrets: true });
    assert.deepEqual(await run.ended, { code: 0, signal: null }, run.stderr);
    assert.deepEqual(JSON.parse(run.stdout), { schemaVersion: 1, fixture: 'qinglong/worker-kubernetes-rollout-rehearsal@v2', reportWritten: true, passed: true });
    assert.doesNotMatch(run.stderr, /Warning:/);
    // on a terminal what comes last is seen: the verdict stands below everything that takes many lines
    assert.match(run.stderr, /\ntime: [^]*\n\nHELD: 18 of 21 gates, 18 of 20 probes\nwhat this platform cannot prove[^\n]*\n[^\n]*\n\nreport: /);
    assert.match(run.stderr, /^This was a rehearsal: its report is no release evidence\.$/m);
    assert.ok(run.stderr.endsWith(`\naudit: npx ql3-evidence audit --profile=rehearsal --report=${run.reportPath} --bundle=${run.bundlePath}\n`), run.stderr);
    assertAsPlanned(readBundleFolder(run.bundlePath), false);
    assert.deepEqual(run.sharedFiles(), []);
    assert.deepEqual(await run.leavings(), []);
    await assertNoSecrets(run);
  });

  test('SIGTERM in phase A: dies by it, keeps the evidence and no secret, and leaves nothing behind', async () => {
    await using run = new CommandProcess([...REHEARSE, '--json'], { umask: '000', watchSecrets: true, holdAt: ['generation 2 is rotated'] });
    await run.said('generation 2 is rotated');
    run.child.kill('SIGTERM');
    run.goOn();
    assert.deepEqual(await run.ended, { code: null, signal: 'SIGTERM' }, run.stderr);
    const { error } = JSON.parse(run.stdout) as { error: { code: string; exitCode: number } };
    assert.deepEqual([error.code, error.exitCode], ['QL3_INTERRUPTED', 1]);
    assert.match(run.stderr, /interrupted by SIGTERM in step generation-2: /);
    assert.doesNotMatch(run.stderr, /\n {2}(?:expected|cause|log) /);
    assertEvidence(run);
    const kept = readdirSync(run.failureDirectory ?? '');
    for (const part of ['index.json', 'rows.json', 'postgres.log', 'run-log.jsonl', 'audit.jsonl']) assert.ok(kept.includes(part), `expected ${part} among ${kept.join(', ')}`);
    assert.ok(kept.some((name) => name.endsWith('.secrets.json')) && kept.some((name) => name.endsWith('.worker.log')), kept.join(', '));
    assert.deepEqual(await run.leavings(), []);
    await assertNoSecrets(run);
  });
});
