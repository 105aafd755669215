import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { TestAuthority } from '../../testing/certificate-authority.ts';
import { parseRevocationLists } from './revocation-list.ts';

describe('a revocation list', () => {
  it('of any bytes is read or refused, and never crashes the reader', async () => {
    const valid = Buffer.from((await (await TestAuthority.create()).revocationList()).replaceAll(/-----[^-]+-----|\s/gu, ''), 'base64');
    const broken = fc.tuple(fc.nat(valid.length - 1), fc.nat(255), fc.integer({ min: 1, max: valid.length })).map(([at, byte, length]) => {
      const bytes = Buffer.from(valid);
      bytes[at] = byte;
      return bytes.subarray(0, length);
    });
    fc.assert(
      fc.property(fc.oneof(broken, fc.uint8Array({ maxLength: 300 })), (bytes) => {
        const pem = Buffer.from(`-----BEGIN X509 CRL-----\n${Buffer.from(bytes).toString('base64')}\n-----END X509 CRL-----\n`);
        try {
          assert.ok(parseRevocationLists(pem).length <= 1);
        } catch (error) {
          assert.ok(error instanceof Error && error.name === 'Error', String(error));
        }
      }),
    );
  });

  it('of several authorities may stand in one file', async () => {
    const lists = await Promise.all([TestAuthority.create('a'), TestAuthority.create('b')].map(async (made) => (await made).revocationList()));
    assert.equal(parseRevocationLists(Buffer.from(lists.join(''))).length, 2);
  });
});
