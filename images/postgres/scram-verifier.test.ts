import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scramVerifier } from './scram-verifier.ts';

test('the verifier is the one of RFC 7677, section 3, for its example password and salt', () => {
  // The RFC's exchange: user "user", password "pencil", this salt, 4096 iterations. ServerKey and StoredKey were computed with Python's hashlib.
  const verifier = scramVerifier('pencil', Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'));
  assert.equal(
    verifier,
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
});

test('every verifier has its own salt, and the password is not in it', () => {
  assert.notEqual(scramVerifier('pencil'), scramVerifier('pencil'));
  assert.ok(!scramVerifier('pencil').includes('pencil'));
});

test('a password that would need normalisation is refused without being quoted', () => {
  for (const password of ['', 'pässword', 'a\nb', 'x'.repeat(257)]) {
    assert.throws(() => scramVerifier(password), (error) => error instanceof RangeError && (password === '' || !error.message.includes(password)));
  }
});
