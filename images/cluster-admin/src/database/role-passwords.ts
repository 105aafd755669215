import { ROLES, type RoleName, type RolePasswords } from '../../../postgres/roles.ts';
import type { EnvironmentReader } from '../command-line/environment.ts';
import { readGuardedFile, SECRET_FILE } from '../command-line/guarded-file.ts';

const MAX_FILE_BYTES = 16_384;
const MIN_PASSWORD_LENGTH = 16;

/** A JSON object with a password for each of the six roles, and nothing else. A problem is noted in `environment` and says no password. */
export function readRolePasswords(environment: EnvironmentReader): RolePasswords {
  const path = environment.path('PASSWORDS_FILE');
  if (path === '') return {} as RolePasswords;
  try {
    return parse(readGuardedFile(path, { maxBytes: MAX_FILE_BYTES, forbiddenMode: SECRET_FILE }).toString('utf8'));
  } catch (error) {
    environment.reject('PASSWORDS_FILE', (error as Error).message);
    return {} as RolePasswords;
  }
}

function parse(text: string): RolePasswords {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message would quote the file.
    throw new Error('expected a JSON object of passwords, got something that is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('expected a JSON object of passwords');
  const unknown = Object.keys(value).filter((name) => !(ROLES as readonly string[]).includes(name));
  const weak = ROLES.filter((role) => !isPassword((value as Partial<Record<RoleName, unknown>>)[role]));
  if (unknown.length > 0) throw new Error(`expected the roles ${ROLES.join(', ')} and no other, got ${unknown.join(', ')}`);
  if (weak.length > 0) throw new Error(`expected a password of at least ${MIN_PASSWORD_LENGTH} printable ASCII characters for ${weak.join(', ')}`);
  return value as RolePasswords;
}

function isPassword(value: unknown): boolean {
  return typeof value === 'string' && value.length >= MIN_PASSWORD_LENGTH && /^[\x21-\x7e]+$/.test(value);
}
