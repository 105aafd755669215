import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretIn } from '../../evidence/secret-patterns.ts';
import { withoutSecrets } from './without-secrets.ts';

test('lines with secrets are left out of a log, and that they were is said', () => {
  const jwt = `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJub2JvZHkifQ.${'x'.repeat(20)}`;
  const key = ['-----BEGIN PRIVATE KEY-----', 'MIGHAgEAMBMGByqGSM49', 'AgEGCCqGSM49AwEHBG0wawIB', '-----END PRIVATE KEY-----'];
  const log = ['level=info msg="started"', `token ${jwt}`, 'dsn postgres://user:word@host/db', ...key, 'the password is hunter-2', 'level=info msg="goes on"'].join('\n');
  const kept = withoutSecrets(log, ['hunter-2', '']);
  assert.deepEqual(kept.split('\n').filter((line) => !line.startsWith('(')), ['level=info msg="started"', 'level=info msg="goes on"']);
  assert.equal(kept.split('\n').length, log.split('\n').length);
  assert.equal(secretIn(kept), null);
  for (const secret of ['hunter-2', 'MIGHAgEAMBMGByqGSM49', jwt]) assert.ok(!kept.includes(secret));
});
