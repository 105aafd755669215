import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { createCredentialToken, tokenDigest } from '../../../core/credential-token.ts';
import { EntryPoint } from '../../testing/entry-point.ts';

void suite('the bounded actor', () => {
  void test('records start and stop, and a successor shows what it inherits', async () => {
    const root = await mkdtemp(join(tmpdir(), 'ql3-actor-'));
    try {
      const token = createCredentialToken('live_generation_1');
      await mkdir(join(root, 'private'), { mode: 0o700 });
      await mkdir(join(root, 'state'));
      await writeFile(join(root, 'private/ca.crt'), 'the anchor', { mode: 0o400 });
      await writeFile(join(root, 'private/credential-token'), token, { mode: 0o400 });
      const environment = (podUid: string): Record<string, string> => ({ QL3_ACTOR_STATE_ROOT: join(root, 'state'), QL3_ACTOR_AUTHORITY_ROOT: join(root, 'private'), QL3_ACTOR_POD_UID: podUid });
      const digests = `${tokenDigest(token)} ${createHash('sha256').update('the anchor').digest('hex')}`;

      await using first = new EntryPoint('actor.ts', ['run'], environment('pod-a'));
      assert.deepEqual((await first.event('journal_inherited'))['lines'], []);
      assert.equal((await first.event('started'))['record'], `start pod-a ${digests}`);
      await using hook = new EntryPoint('actor.ts', ['stop'], environment('pod-a'));
      assert.equal(await hook.exitCode(), 0);
      first.kill('SIGTERM');
      assert.equal(await first.exitCode(), 0);

      await appendFile(join(root, 'state/journal/rollout.log'), 'start pod-b torn by a cra');
      await using second = new EntryPoint('actor.ts', ['run'], environment('pod-c'));
      assert.deepEqual((await second.event('journal_inherited'))['lines'], [`start pod-a ${digests}`, 'stop pod-a']);
      await second.event('started');
      assert.equal(await readFile(join(root, 'state/journal/rollout.log'), 'utf8'), `start pod-a ${digests}\nstop pod-a\nstart pod-c ${digests}\n`);
      assert.doesNotMatch([...first.output, ...second.output].join('\n'), /ql3w_/);

      await chmod(join(root, 'private/credential-token'), 0o440);
      await using third = new EntryPoint('actor.ts', ['run'], environment('pod-d'));
      await third.event('actor_failed', { code: 'WORKER_FILE_REFUSED' });
      assert.equal(await third.exitCode(), 1);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
