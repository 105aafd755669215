import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { requestBundle } from './bundle-options.ts';

test('a bundle is asked for by a path that can be written, and signed only with one', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ql3-options-')));
  try {
    const bundlePath = join(folder, 'new.tar');
    const none = { signKey: undefined, report: undefined };
    assert.equal(requestBundle({ ...none, bundlePath: undefined }), null);
    assert.deepEqual(requestBundle({ ...none, bundlePath }), { path: bundlePath, signingKey: null });
    assert.throws(() => requestBundle({ ...none, bundlePath: undefined, signKey: '/k.pem' }), { code: 'QL3_USAGE' });
    assert.throws(() => requestBundle({ ...none, bundlePath, report: bundlePath }), { code: 'QL3_USAGE' });
    for (const refused of ['new.tar', folder, join(folder, 'absent', 'new.tar')]) assert.throws(() => requestBundle({ ...none, bundlePath: refused }), { code: 'QL3_PATH_REFUSED' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
