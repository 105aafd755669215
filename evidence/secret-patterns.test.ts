import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { secretIn } from './secret-patterns.ts';

const URL_WITH_PASSWORD = 'a URL with a password';
const PEM = ['-----BEGIN', 'PRIVATE KEY-----'];

describe('what a secret looks like, wherever it stands', () => {
  for (const [text, kind] of [
    [`{"pem":"${PEM.join(' ')}\\nMC4"}`, 'a private key in PEM'],
    [PEM.join(' EC '), 'a private key in PEM'],
    [`token=ql3w_live_generation_1_${'A-z_0'.repeat(9).slice(0, 43)}`, 'a Worker credential token'],
    ['Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0xx.c2lnbmF0dXJl', 'a JSON Web Token'],
    ['postgresql://ql3_admin:hunter2@db:5432/ql3', URL_WITH_PASSWORD],
    ['got "HTTPS://User:p%40ss@Host/" from', URL_WITH_PASSWORD],
    ['git+ssh://:secret@host', URL_WITH_PASSWORD],
    [`${'a'.repeat(50)}://u:p@h`, URL_WITH_PASSWORD],
    [`x ${'https://host/a:b '.repeat(3)}s3://k:v@bucket`, URL_WITH_PASSWORD],
  ] as const) {
    it(`${kind}: ${text.slice(0, 40)}`, () => assert.equal(secretIn(text), kind));
  }

  for (const text of [
    'https://user@host/path',
    'https://host:443/@',
    'https://host/?mail=a:b@c',
    '://u:p@h',
    '1://u:p@h',
    'see x://u:p@h', // a scheme has two characters at least, as in C:// it is a drive
    'host:5432, a@b',
    '-----BEGIN CERTIFICATE-----',
    'ql3w_live_tooshort',
    'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0',
  ]) {
    it(`none: ${text}`, () => assert.equal(secretIn(text), null));
  }
});
