import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CommandProcess } from '../cli/testing/command-process.ts';
import type { ApiFault } from './testing/api-faults.ts';
import { assertFailed, watchForLeavings } from './testing/expectations.ts';

const PROGRAM = fileURLToPath(new URL('testing/rehearse-with-faults.ts', import.meta.url));

/** An answer that the product gets once in the first execution: what the run says of it. */
const REFUSED_ONCE: Readonly<Record<Exclude<ApiFault, 'busy' | 'silent'>, RegExp>> = {
  'token-request-429': /429/,
  'secret-replace-409': /WORKER_CREDENTIAL_DELIVERY_CONFLICT/,
  'deployment-replace-500': /500/,
  'access-review-503': /503/,
};

describe('a rehearsal on an API server that misbehaves', { concurrency: 2, skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  test('passes when it is busy, conflicts and cuts connections, and says that something could not be cleaned up', async () => {
    await using run = new CommandProcess(['busy', 'REPORT'], { program: PROGRAM });
    assert.deepEqual(await run.ended, { code: 6, signal: null }, run.stderr);
    assert.match(run.stderr, /not cleaned up: something that stays/);
    assert.equal((JSON.parse(run.stdout) as { passed: boolean }).passed, true);
    assert.ok(readFileSync(run.reportPath).length > 1_000);
    assert.deepEqual(await run.leavings(), []);
  });

  test('fails in bounded time when it never answers', async () => {
    const MOST_MS = 300_000;
    await using run = new CommandProcess(['silent', 'REPORT'], { program: PROGRAM });
    await run.said('objects, roles and the actor');
    const [askedAt, leavings] = [performance.now(), watchForLeavings(run)];
    await assertFailed(run, { message: /QL3_CLUSTER_|TimeoutError|timeout/, leavings });
    assert.ok(performance.now() - askedAt < MOST_MS);
  });

  for (const [fault, message] of Object.entries(REFUSED_ONCE)) {
    test(`fails clearly on ${fault}`, async () => {
      await using run = new CommandProcess([fault, 'REPORT'], { program: PROGRAM });
      await run.said('generation 1 is issued');
      await assertFailed(run, { message });
    });
  }

  test('a mistake of the harness is called a defect', async () => {
    await using run = new CommandProcess(['defect', 'REPORT'], { program: PROGRAM });
    assert.deepEqual(await run.ended, { code: 4, signal: null }, run.stderr);
    assert.deepEqual(await run.leavings(), []);
  });
});
