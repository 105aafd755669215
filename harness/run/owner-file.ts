import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess, type ProcessIdentity } from './process-identity.ts';

export const OWNER_FILE = 'owner.json';

/** What stands in `owner.json` of a folder in the system's temporary one, so that a later `clean` can prove that nobody owns it any more. */
export interface FolderOwner {
  readonly schemaVersion: 1;
  /** Null where it belongs to no run. */
  readonly runId: string | null;
  readonly owner: ProcessIdentity;
  readonly createdAt: string;
  /** `NAME=value` in the environment of every process that works in it and could outlive its owner. */
  readonly marker?: string;
}

/** Names this process as the owner, before anything else is in the folder. */
export function writeOwnerFile(folder: string, of: { readonly runId: string | null; readonly marker?: string }): void {
  const owner: FolderOwner = { schemaVersion: 1, owner: identifyProcess(process.pid), createdAt: new Date().toISOString(), ...of };
  writeFileSync(join(folder, OWNER_FILE), `${JSON.stringify(owner)}\n`, { mode: 0o600, flag: 'wx' });
}

/** Null where there is none, or one that somebody else than this user has written. */
export function readOwnerFile(folder: string): FolderOwner | null {
  try {
    const path = join(folder, OWNER_FILE);
    const stats = lstatSync(path);
    if (!stats.isFile() || stats.uid !== process.getuid?.()) return null;
    const owner = JSON.parse(readFileSync(path, 'utf8')) as FolderOwner;
    const isOwner = owner.schemaVersion === 1 && (owner.runId === null || typeof owner.runId === 'string') && Number.isInteger(owner.owner?.pid) && typeof owner.createdAt === 'string';
    return isOwner ? owner : null;
  } catch {
    return null;
  }
}
