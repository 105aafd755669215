import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWNER_FILE, readOwnerFile, type FolderOwner } from './owner-file.ts';
import { isAlive } from './process-identity.ts';
import { RUN_DIRECTORY_PREFIX } from './run-directory.ts';

/** How the names of folders begin that a run, or what serves it, makes in the system's temporary folder. */
const POSTGRES_PREFIX = 'ql3-postgres-';
/** One that is made for a report becomes its reader's when there is one. */
export const REPORT_DIRECTORY_PREFIX = 'ql3-rehearsal-';
const ALL_PREFIXES = [RUN_DIRECTORY_PREFIX, REPORT_DIRECTORY_PREFIX, POSTGRES_PREFIX, 'ql3-embedded-node-', 'ql3-sabotage-'];
/** Where in a run's folder another process of the run may be at work, which says so itself. */
const WORKED_IN = 'substrate/cluster';

export interface RunFolder {
  readonly path: string;
  readonly runId: string | null;
  readonly createdAt: string;
  readonly ownerPid: number;
  readonly marker: string | null;
  /** False only when it is certain that the process which made it is gone, and whoever else worked in it. */
  readonly inUse: boolean;
}

/** Folders of runs in the system's temporary folder. Only real folders with an owner file of this user's count: anything else is somebody else's. */
export function listRunFolders(parent?: string): readonly RunFolder[] {
  const places = parent === undefined ? placesOfFolders() : [{ parent, prefixes: ALL_PREFIXES }];
  return places.flatMap((place) => namesIn(place.parent).flatMap((name) => (place.prefixes.some((prefix) => name.startsWith(prefix)) ? toRunFolder(place.parent, name) : [])));
}

/** A database goes elsewhere when its user could not enter the first. */
function placesOfFolders(): readonly { readonly parent: string; readonly prefixes: readonly string[] }[] {
  const own = existsSync(tmpdir()) ? realpathSync(tmpdir()) : tmpdir(); // in none nothing is left
  return [{ parent: own, prefixes: ALL_PREFIXES }, ...['/tmp', '/var/tmp'].filter((folder) => folder !== own).map((parent) => ({ parent, prefixes: [POSTGRES_PREFIX] }))];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function toRunFolder(parent: string, name: string): readonly RunFolder[] {
  const isOfReport = name.startsWith(REPORT_DIRECTORY_PREFIX);
  const path = join(parent, name);
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const owner = readOwnerFile(path);
  if (owner === null || (isOfReport && namesIn(path).some((entry) => entry !== OWNER_FILE))) return [];
  const within = readOwnerFile(join(path, WORKED_IN));
  const inUse = [owner, within].some((each) => each !== null && isAlive(each.owner));
  return [{ path, runId: owner.runId, createdAt: owner.createdAt, ownerPid: owner.owner.pid, marker: markerOf(within) ?? markerOf(owner), inUse }];
}

function markerOf(owner: FolderOwner | null): string | null {
  return owner?.marker ?? null;
}
