import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ATTESTATION_PATH, type BundleFiles } from '../../evidence/bundle-layout.ts';
import { canonicalJson } from '../../evidence/canonical-json.ts';
import { signEnvelope } from '../../evidence/dsse.ts';
import type { Report } from '../../evidence/report.ts';
import { STATEMENT_PAYLOAD_TYPE, statementOf } from '../../evidence/statement.ts';
import { archiveOf } from '../../evidence/testing/archive.ts';
import { bundleOf, contentsOf } from '../../evidence/testing/bundle-story.ts';
import type { GivenReport } from './audit-bundle.ts';
import { judgeBundle } from './judge-bundle.ts';

const folder = mkdtempSync(join(tmpdir(), 'ql3-judge-'));
after(() => rmSync(folder, { recursive: true }));
const CONTENTS = contentsOf();
const FILES = bundleOf();
const REPORT: GivenReport = { text: `${canonicalJson(CONTENTS.report)}\n`, value: CONTENTS.report };
const KEYS = generateKeyPairSync('ed25519');
const SIGNED = new Map([...FILES, [ATTESTATION_PATH, Buffer.from(`${canonicalJson(signEnvelope(STATEMENT_PAYLOAD_TYPE, statementOf(FILES, CONTENTS.report as Report, CONTENTS.observations), KEYS.privateKey))}\n`)]]);
const edited = (path: string): BundleFiles => new Map([...SIGNED, [path, Buffer.concat([SIGNED.get(path) ?? Buffer.of(), Buffer.from('\n')])]]);

function signatureOf(archive: Uint8Array, report = REPORT, key = KEYS.publicKey): string {
  const file = (name: string, content: Uint8Array | string): string => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  return judgeBundle({ bundle: file('bundle.tar', archive), publicKey: file('key.pem', key.export({ type: 'spki', format: 'pem' })), report }).signature;
}

describe('the line about a signature', () => {
  it('says verified of these files and this report alone', () => {
    assert.match(signatureOf(archiveOf(SIGNED)), /^verified, Ed25519, key /);
    const value = { ...(CONTENTS.report as Report), sourceRevision: 'f'.repeat(40) };
    for (const [what, files, report] of [
      ['a file that was changed', edited('versions.json'), REPORT],
      ['another report', SIGNED, { text: `${canonicalJson(value)}\n`, value }],
      ['the report in other bytes', SIGNED, { ...REPORT, text: ` ${REPORT.text}` }],
    ] as const) assert.match(signatureOf(archiveOf(files), report), /^of another report or bundle than these, Ed25519, key /, what);
  });
  it('does not accept that of another key, and claims none that was not there or not reached', () => {
    assert.equal(signatureOf(archiveOf(SIGNED), REPORT, generateKeyPairSync('ed25519').publicKey), 'not accepted');
    assert.equal(signatureOf(archiveOf(FILES)), 'none');
    assert.equal(signatureOf(archiveOf(SIGNED).subarray(0, 51_200)), 'not looked at');
  });
});
