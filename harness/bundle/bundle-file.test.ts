import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { auditBundle } from '../../auditor/bundle/audit-bundle.ts';
import { readBundle } from '../../auditor/bundle/read-bundle.ts';
import { canonicalJson } from '../../evidence/canonical-json.ts';
import { bundleOf, contentsOf } from '../../evidence/testing/bundle-story.ts';
import { archiveBundleFolder, writeBundle, writeBundleFolder } from './bundle-file.ts';

const FILES = bundleOf();
const { report } = contentsOf();
const REPORT = { text: `${canonicalJson(report)}\n`, value: report };

describe('a bundle on disk', () => {
  let folder = '';
  let archive: Buffer = Buffer.alloc(0);
  const mode = (path: string): number => statSync(path).mode & 0o777;
  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'ql3-bundle-')));
    await writeBundleFolder(join(folder, 'stage'), FILES);
    archive = await archiveBundleFolder(join(folder, 'stage'), FILES);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('is accepted by the auditor, as an archive and as a folder, and private to its owner', async () => {
    for (const name of ['new.tar', 'new-folder']) {
      const path = join(folder, name);
      await writeBundle(path, FILES, archive);
      const input = readBundle(path);
      assert.deepEqual(input.faults, []);
      assert.deepEqual(auditBundle(input, REPORT, null), []);
    }
    assert.equal(mode(join(folder, 'new.tar')), 0o600);
    assert.equal(mode(join(folder, 'new-folder')), 0o700);
    assert.equal(mode(join(folder, 'new-folder/api')), 0o700);
    assert.equal(mode(join(folder, 'new-folder/api/audit.jsonl')), 0o600);
  });
  it('has the same bytes whenever and wherever it is made', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await writeBundleFolder(elsewhere, new Map([...FILES].toReversed()));
    chmodSync(join(elsewhere, 'report.json'), 0o600);
    assert.ok((await archiveBundleFolder(elsewhere, FILES)).equals(archive));
  });
  it('overwrites nothing, follows no link, and leaves nothing half made', async () => {
    mkdirSync(join(folder, 'taken'));
    symlinkSync('nowhere', join(folder, 'dangling.tar'));
    const beforehand = readdirSync(folder);
    for (const name of ['taken', 'dangling.tar', 'stage']) await assert.rejects(writeBundle(join(folder, name), FILES, archive), { code: 'REPORT_EXISTS' });
    await assert.rejects(writeBundle(join(folder, 'absent', 'x.tar'), FILES, archive), { code: 'REPORT_PARENT_MISSING' });
    assert.deepEqual(readdirSync(folder), beforehand);
  });
});
