import { join } from 'node:path';

import { parseCredentialToken } from '../../../core/credential-token.ts';
import { WorkerError } from '../errors.ts';
import { replaceSynced } from '../files/durable-write.ts';
import { ensurePrivateFolder } from './private-folder.ts';
import { ProjectedSource } from './projected-source.ts';

export type MaterialiseMode = 'worker' | 'actor';

const MAX_BYTES: Readonly<Record<string, number>> = {
  'ca.crt': 1_048_576,
  'tls.crt': 65_536,
  'tls.key': 65_536,
  'credential-token': 256,
  'capabilities.json': 16_384,
};

const FILES: Readonly<Record<MaterialiseMode, readonly string[]>> = {
  worker: ['ca.crt', 'tls.crt', 'tls.key', 'credential-token', 'capabilities.json'],
  actor: ['ca.crt', 'credential-token'],
};

const STATE_FOLDERS: Readonly<Record<MaterialiseMode, readonly string[]>> = {
  worker: ['journal', 'logs', 'receipts', 'certificates'],
  actor: ['journal'],
};

export interface Materialised {
  readonly files: readonly string[];
  readonly stateFolders: readonly string[];
}

export interface MaterialiseRoots {
  readonly source: string;
  readonly private: string;
  readonly state: string;
}

/**
 * Copies what the Pod is allowed to be from the projected volume, whose files the group can read, to files of mode 0400 in a
 * folder of mode 0700 in memory, and makes the state folders. May run again in the same Pod: each file is replaced at once.
 */
export async function materialise(mode: MaterialiseMode, roots: MaterialiseRoots): Promise<Materialised> {
  const source = await ProjectedSource.open(roots.source);
  const contents = new Map<string, Buffer>();
  try {
    // Everything is read and looked at before anything is written.
    for (const name of FILES[mode]) contents.set(name, await source.read(name, MAX_BYTES[name] ?? 0));
    assertToken(contents.get('credential-token'));
    const privateFolder = join(roots.private, 'private');
    await ensurePrivateFolder(privateFolder);
    for (const [name, bytes] of contents) await replaceSynced(join(privateFolder, name), bytes, 0o400);
  } finally {
    for (const bytes of contents.values()) bytes.fill(0);
  }
  for (const folder of STATE_FOLDERS[mode]) await ensurePrivateFolder(join(roots.state, folder));
  return { files: FILES[mode], stateFolders: STATE_FOLDERS[mode] };
}

function assertToken(token: Buffer | undefined): void {
  try {
    parseCredentialToken(token ?? '');
  } catch {
    throw new WorkerError('WORKER_CREDENTIAL_TOKEN_INVALID', 'the source credential-token: expected exactly one ql3w_ token without a newline or other bytes; has the first credential been delivered?');
  }
}
