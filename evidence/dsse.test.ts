import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isSignedBy, keyIdOf, kindOfKey, preAuthEncoding, signEnvelope, type DsseEnvelope } from './dsse.ts';

/** The example of the DSSE specification (protocol.md, "Test Vectors"). */
const EXAMPLE = { type: 'http://example.com/HelloWorld', body: 'hello world', encoded: 'DSSEv1 29 http://example.com/HelloWorld 11 hello world' };

/** RFC 8032, section 7.1, TEST 1: the key pair, as PKCS#8 (RFC 8410) and SubjectPublicKeyInfo. */
const SEED = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const PUBLIC = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
const RFC_8032_KEY = createPrivateKey({ key: Buffer.from(`302e020100300506032b657004220420${SEED}`, 'hex'), format: 'der', type: 'pkcs8' });
const SPKI = Buffer.from(`302a300506032b6570032100${PUBLIC}`, 'hex');

describe('the envelope of a signature', () => {
  it('encodes the specification’s example', () => assert.equal(preAuthEncoding(EXAMPLE.type, Buffer.from(EXAMPLE.body)).toString(), EXAMPLE.encoded));
  it('counts bytes, not characters, and takes nothing and everything as a body', () => {
    assert.equal(preAuthEncoding('é', Buffer.from('ü')).toString(), 'DSSEv1 2 é 2 ü');
    assert.equal(preAuthEncoding('', Buffer.alloc(0)).toString(), 'DSSEv1 0  0 ');
    assert.deepEqual(preAuthEncoding('t', Buffer.from([0, 255])), Buffer.from([...Buffer.from('DSSEv1 1 t 2 '), 0, 255]));
  });
  it('names a key by the SHA-256 of its SubjectPublicKeyInfo', () => {
    const digest = execFileSync('openssl', ['dgst', '-sha256', '-r'], { input: SPKI }).toString().slice(0, 64);
    assert.equal(keyIdOf(RFC_8032_KEY), digest);
    assert.equal(keyIdOf(createPublicKey(RFC_8032_KEY)), digest);
  });
  it('accepts two kinds of keys and no other', () => {
    assert.equal(kindOfKey(generateKeyPairSync('ed25519').publicKey), 'Ed25519');
    assert.equal(kindOfKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), 'ECDSA P-256');
    for (const { publicKey } of [generateKeyPairSync('ec', { namedCurve: 'P-384' }), generateKeyPairSync('ed448'), generateKeyPairSync('x25519')]) {
      assert.equal(kindOfKey(publicKey), null);
      assert.equal(isSignedBy(signEnvelope('t', Buffer.from('b'), RFC_8032_KEY), publicKey), false);
    }
  });

  for (const [kind, { privateKey, publicKey }] of Object.entries({ 'Ed25519': generateKeyPairSync('ed25519'), 'ECDSA P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }) })) {
    it(`is verified by OpenSSL over bytes that a shell puts together (${kind})`, () => {
      const { payload, payloadType, signatures } = signEnvelope(EXAMPLE.type, Buffer.from(EXAMPLE.body), privateKey);
      const folder = mkdtempSync(join(tmpdir(), 'ql3-dsse-'));
      try {
        const file = (name: string, content: string | Buffer): string => {
          writeFileSync(join(folder, name), content);
          return join(folder, name);
        };
        const [key, signature] = [file('key.pem', publicKey.export({ type: 'spki', format: 'pem' })), file('signature', Buffer.from(signatures[0]?.sig ?? '', 'base64'))];
        const body = execFileSync('base64', ['-d'], { input: payload }).toString();
        const encoded = file('encoded', execFileSync('printf', ['DSSEv1 %s %s %s %s', String(payloadType.length), payloadType, String(body.length), body]));
        const args = kind === 'Ed25519' ? ['pkeyutl', '-verify', '-pubin', '-inkey', key, '-rawin', '-in', encoded, '-sigfile', signature] : ['dgst', '-sha256', '-verify', key, '-signature', signature, encoded];
        assert.match(execFileSync('openssl', args).toString(), /Verified (?:OK|Success)|Verified Successfully/i);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
    it(`is void once type, payload or signature is another (${kind})`, () => {
      const envelope = signEnvelope('type', Buffer.from('body'), privateKey);
      const [signature] = envelope.signatures;
      assert.ok(signature !== undefined && isSignedBy(envelope, publicKey));
      for (const change of [{ payloadType: 'typ' }, { payload: Buffer.from('bodies').toString('base64') }, { signatures: [{ ...signature, sig: Buffer.from(signature.sig, 'base64').reverse().toString('base64') }] }, { signatures: [] }] satisfies Partial<DsseEnvelope>[]) {
        assert.equal(isSignedBy({ ...envelope, ...change }, publicKey), false);
      }
    });
  }
});
