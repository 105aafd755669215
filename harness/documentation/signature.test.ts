import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ATTESTATION_PATH, BUNDLE_LAYOUT, MANIFEST_PATH } from '../../evidence/bundle-layout.ts';
import type { Report } from '../../evidence/report.ts';
import { signBundle } from '../bundle/sign-bundle.ts';
import { recordedFiles, recordedObservations } from '../contract/testing/recorded-rehearsal.ts';
import { readFences } from './fences.ts';
import { readMarkdown } from './markdown.ts';

const missing = ['openssl', 'jq', 'tar'].find((program) => spawnSync(program, ['--help']).error !== undefined);
const OLD_OPENSSL = missing === undefined && !execFileSync('openssl', ['version'], { encoding: 'utf8' }).startsWith('OpenSSL 3');
const skip = missing === undefined ? OLD_OPENSSL && 'needs openssl 3' : `no ${missing} here`;

/** The recorded bundle, signed anew, and what is damaged in it afterwards. */
function signedFiles(key: KeyObject, damage: { readonly path: string; readonly change: (text: string) => string } | null): ReadonlyMap<string, Uint8Array> {
  const unsigned = new Map([...recordedFiles()].filter(([path]) => path !== ATTESTATION_PATH));
  const report = JSON.parse(Buffer.from(unsigned.get(BUNDLE_LAYOUT.report.path) ?? []).toString()) as Report;
  const files = signBundle(unsigned, key, report, recordedObservations());
  return new Map([...files].map(([path, bytes]) => [path, path === damage?.path ? Buffer.from(damage.change(Buffer.from(bytes).toString())) : bytes]));
}

describe('the signature of a bundle', { skip }, () => {
  const documented = readFences(readMarkdown('evidence/BUNDLE.md')).map(({ text }) => text).filter((text) => text.includes('openssl pkeyutl'));

  const verify = (files: ReadonlyMap<string, Uint8Array>, publicKey: KeyObject): { readonly status: number | null; readonly stdout: string } => {
    const folder = mkdtempSync(join(tmpdir(), 'ql3-signature-'));
    const paths = [ATTESTATION_PATH, BUNDLE_LAYOUT.report.path, MANIFEST_PATH];
    for (const path of paths) writeFileSync(join(folder, path), files.get(path) ?? '');
    execFileSync('tar', ['-cf', 'bundle.tar', '--', ...paths], { cwd: folder });
    for (const path of paths) rmSync(join(folder, path));
    writeFileSync(join(folder, 'public.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
    const { status, stdout } = spawnSync('bash', ['-e', '-c', documented.join('\n')], { cwd: folder, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
    rmSync(folder, { recursive: true });
    return { status, stdout };
  };

  test('is verified by commands that stand in one place', () => assert.equal(documented.length, 1));

  for (const { privateKey, publicKey } of [generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-256' })]) {
    const name = privateKey.asymmetricKeyType;
    test(`${name}: what evidence/BUNDLE.md lets a reader type verifies it`, () => {
      const { status, stdout } = verify(signedFiles(privateKey, null), publicKey);
      assert.deepEqual([status, stdout], [0, 'Signature Verified Successfully\nreport.json: OK\nmanifest.json: OK\n']);
    });

    test(`${name}: and refuses another key, another payload and another report`, () => {
      const stranger = name === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
      assert.notEqual(verify(signedFiles(privateKey, null), stranger.publicKey).status, 0);
      const repacked = (text: string): string => {
        const envelope = JSON.parse(text) as { readonly payload: string };
        return JSON.stringify({ ...envelope, payload: Buffer.from(`${Buffer.from(envelope.payload, 'base64').toString()} `).toString('base64') });
      };
      assert.notEqual(verify(signedFiles(privateKey, { path: ATTESTATION_PATH, change: repacked }), publicKey).status, 0);
      const { status, stdout } = verify(signedFiles(privateKey, { path: BUNDLE_LAYOUT.report.path, change: (text) => `${text} ` }), publicKey);
      assert.notEqual(status, 0);
      assert.match(stdout, /report\.json: FAILED/);
    });
  }
});
