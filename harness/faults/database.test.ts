import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CommandProcess } from '../cli/testing/command-process.ts';
import { assertFailed } from './testing/expectations.ts';

const PROGRAM = fileURLToPath(new URL('testing/rehearse-with-faults.ts', import.meta.url));

describe('a rehearsal whose PostgreSQL goes away and comes back', { concurrency: 2, skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  for (const fault of ['database-crash', 'database-shutdown']) {
    test(`by ${fault}: holds, or fails clearly with its evidence, and leaves nothing`, async () => {
      await using run = new CommandProcess([fault, 'REPORT'], { program: PROGRAM });
      const { code } = await run.ended;
      if (code !== 0) return await assertFailed(run, { message: /QL3_|57P0|ECONN|Connection terminated/ });
      assert.equal((JSON.parse(run.stdout) as { passed: boolean }).passed, true);
      assert.deepEqual(await run.leavings(), []);
    });
  }
});
