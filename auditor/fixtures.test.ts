import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { BUNDLE_FORMATS, BUNDLE_LAYOUT } from '../evidence/bundle-layout.ts';
import { auditReport } from './audit-report.ts';
import { auditBundle } from './bundle/audit-bundle.ts';
import { readTar } from './bundle/read-tar.ts';

const FOLDER = new URL('../evidence/fixtures/', import.meta.url);
const fixture = (name: string): Buffer => readFileSync(new URL(name, FOLDER));
const NOW = new Date('2027-01-01T00:00:00.000Z');

/** What earlier versions have left stays acceptable: a verdict is not for one day. */
describe('evidence of every format version', () => {
  it('a release report of contract v2', () => {
    assert.deepEqual(auditReport(JSON.parse(fixture('report-v2-release.json').toString()), { profile: 'release', now: NOW, sourceCommittedAt: null }).findings, []);
  });
  const bundles = readdirSync(FOLDER).filter((name) => name.startsWith('bundle-') && name.endsWith('.tar.gz'));
  it('there is one of each format', () => assert.equal(bundles.length, Object.keys(BUNDLE_FORMATS).length));
  for (const name of bundles) {
    it(`a signed bundle of a rehearsal that was recorded: ${name}`, () => {
      const input = readTar(gunzipSync(fixture(name)));
      const text = Buffer.from(input.files.get(BUNDLE_LAYOUT.report.path) ?? []).toString();
      const value: unknown = JSON.parse(text);
      assert.deepEqual(auditReport(value, { profile: 'rehearsal', now: NOW, sourceCommittedAt: null }).findings, []);
      assert.deepEqual(auditBundle(input, { text, value }, createPublicKey(fixture(name.replace('.tar.gz', '.public.pem')))), []);
    });
  }
});
