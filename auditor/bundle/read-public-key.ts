import { createPublicKey, type KeyObject } from 'node:crypto';
import { kindOfKey } from '../../evidence/dsse.ts';
import { InputError, readPrivateText } from '../input/read-file.ts';

/** A public key in PEM (SubjectPublicKeyInfo, RFC 7468) that only its owner may change: whoever may swap it decides what is genuine. */
export function readPublicKey(path: string): KeyObject {
  const text = readPrivateText(path, { leastBytes: 64, mostBytes: 8192 });
  const key = text.startsWith('-----BEGIN PUBLIC KEY-----\n') ? parse(text) : null;
  if (key === null || kindOfKey(key) === null) throw new InputError('INPUT_KEY', `${path}: expected a public key of Ed25519 or ECDSA P-256 in PEM, beginning with BEGIN PUBLIC KEY`);
  return key;
}

function parse(text: string): KeyObject | null {
  try {
    return createPublicKey(text);
  } catch {
    return null;
  }
}
