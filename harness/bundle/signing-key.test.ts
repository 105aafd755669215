import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { keyIdOf } from '../../evidence/dsse.ts';
import { readSigningKey } from './signing-key.ts';

const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });

describe('a signing key', () => {
  let folder = '';
  const file = (name: string, content: string | Buffer, mode = 0o600): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };
  const refuses = (path: string, why: RegExp): void =>
    assert.throws(
      () => readSigningKey(path),
      (error: unknown) => error instanceof Error && (error as { code?: unknown }).code === 'QL3_PATH_REFUSED' && why.test(error.message) && !/BEGIN|MC4C|MIGH/.test(error.message),
    );
  before(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), 'ql3-key-')))));
  after(() => rmSync(folder, { recursive: true }));

  it('is Ed25519 or ECDSA P-256, in PKCS#8 or SEC 1', () => {
    assert.equal(keyIdOf(readSigningKey(file('ed.pem', ed25519.privateKey.export({ type: 'pkcs8', format: 'pem' })))), keyIdOf(ed25519.publicKey));
    for (const type of ['pkcs8', 'sec1'] as const) assert.equal(keyIdOf(readSigningKey(file(`${type}.pem`, p256.privateKey.export({ type, format: 'pem' })))), keyIdOf(p256.publicKey));
  });
  it('is refused of other kinds, encrypted, or when it is none', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    for (const [name, content] of Object.entries({
      'p384.pem': other.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      'encrypted.pem': ed25519.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
      'text.pem': 'no key',
      'empty.pem': '',
    })) {
      refuses(file(name, content), /expected an unencrypted private key/);
    }
    refuses(file('large.pem', 'x'.repeat(9000)), /at most/);
  });
  it('is told from a public one, whoever may read that', () => {
    for (const mode of [0o600, 0o644]) for (const { publicKey } of [ed25519, p256]) refuses(file('public.pem', publicKey.export({ type: 'spki', format: 'pem' }), mode), /this is a public key; --sign-key takes the private one(?!.*chmod)/);
  });
  it('is refused where others can read it, or its folder can be changed by others or is reached through a link', () => {
    const pem = ed25519.privateKey.export({ type: 'pkcs8', format: 'pem' });
    for (const mode of [0o640, 0o604, 0o660]) refuses(file('shared.pem', pem, mode), /only its owner can read/);
    mkdirSync(join(folder, 'open'));
    writeFileSync(join(folder, 'open', 'key.pem'), pem, { mode: 0o600 });
    chmodSync(join(folder, 'open'), 0o777);
    refuses(join(folder, 'open', 'key.pem'), /writable by its owner alone/);
    symlinkSync('open', join(folder, 'linked'));
    refuses(join(folder, 'linked', 'key.pem'), /reached through no link/);
    symlinkSync(file('real.pem', pem), join(folder, 'link.pem'));
    refuses(join(folder, 'link.pem'), /no link/);
    refuses('key.pem', /absolute path/);
    refuses(join(folder, 'absent.pem'), /can be opened/);
    refuses('/dev/zero', /./);
  });
});
