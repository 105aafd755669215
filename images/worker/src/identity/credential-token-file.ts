import { dirname } from 'node:path';

import { parseCredentialToken } from '../../../core/credential-token.ts';
import { WorkerError } from '../errors.ts';
import { readGuardedFile } from '../files/guarded-file.ts';
import { assertGuardedFolder } from '../files/guarded-folder.ts';

const MAX_BYTES = 256;

/** The bearer token's bytes from its private file. The caller fills the buffer with zeros when it has used it. */
export async function readCredentialToken(path: string): Promise<Buffer> {
  await assertGuardedFolder(dirname(path), 'the folder of the credential token', 0o077);
  const token = await readGuardedFile(path, { what: 'the credential token', maxBytes: MAX_BYTES, forbiddenMode: 0o077 });
  try {
    parseCredentialToken(token);
    return token;
  } catch {
    token.fill(0);
    throw new WorkerError('WORKER_CREDENTIAL_TOKEN_INVALID', `the credential token at ${path}: expected exactly one ql3w_ token without a newline or other bytes`, { facts: { path } });
  }
}
