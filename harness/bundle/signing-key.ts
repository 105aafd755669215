import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { kindOfKey } from '../../evidence/dsse.ts';
import { HarnessError } from '../run/errors.ts';

const MOST_KEY_BYTES = 8192;

/**
 * Reads a private key of Ed25519 or ECDSA P-256 in PEM (PKCS#8 or SEC 1). The file must be a regular one that nobody but its
 * owner can read, in a real folder that nobody else can write to. No message repeats any of its content.
 */
export function readSigningKey(path: string): KeyObject {
  if (!isAbsolute(path)) throw refused(`expected an absolute path of a private key, got ${JSON.stringify(path)}`);
  assertPrivateFolder(dirname(path));
  const file = openKey(path);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw refused(`${path}: expected a regular file`);
    const text = stats.size > MOST_KEY_BYTES ? null : readFileSync(file, 'utf8');
    // before its mode: a public key may well be readable by everybody
    if (text !== null && isPublicKey(text)) throw refused(`${path}: this is a public key; --sign-key takes the private one that it belongs to, and \`audit --public-key\` takes this one`);
    if ((stats.mode & 0o077) !== 0) throw refused(`${path}: expected a private key that only its owner can read, got mode ${(stats.mode & 0o777).toString(8)}; run chmod 600`);
    if (text === null) throw refused(`${path}: expected a private key of at most ${MOST_KEY_BYTES} bytes, got ${stats.size}`);
    return parse(path, text);
  } finally {
    closeSync(file);
  }
}

export function publicPemOf(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string;
}

function assertPrivateFolder(folder: string): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isDirectory() || realpathSync(folder) !== folder) throw refused(`expected the key's folder to be a real one, reached through no link, got ${folder}`);
  if ((stats.mode & 0o022) !== 0) throw refused(`expected the key's folder to be writable by its owner alone, got mode ${(stats.mode & 0o7777).toString(8)} of ${folder}; run chmod 700`);
}

function openKey(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw refused(`${path}: expected a private key that is no link and can be opened (${(cause as NodeJS.ErrnoException).code})`);
  }
}

/** `createPublicKey` would make one of a private key, too. */
function isPublicKey(text: string): boolean {
  return text.includes('-----BEGIN PUBLIC KEY-----') && !text.includes('PRIVATE KEY-----');
}

/** The parser's own error is dropped: it may quote what it has read. */
function parse(path: string, text: string): KeyObject {
  let key: KeyObject | null = null;
  try {
    key = createPrivateKey(text);
  } catch {
    // said below
  }
  if (key === null || kindOfKey(key) === null) {
    throw refused(`${path}: expected an unencrypted private key of Ed25519 or ECDSA P-256 in PEM; \`openssl genpkey -algorithm ed25519\` makes one`);
  }
  return key;
}

function refused(message: string): HarnessError {
  return new HarnessError('QL3_PATH_REFUSED', message);
}
