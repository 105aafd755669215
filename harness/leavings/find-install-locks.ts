import { readdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRunning } from '../cli/bootstrap/process-identity.mjs';
import type { Found, Leaving } from './leaving.ts';

const BASE = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.work');
const NAME = /^(install\.lock|install-[A-Za-z0-9]{6}|stale-[0-9a-f]{16})$/;

/** What first runs in this clone have left that were killed while they installed the dependencies: by the owners that stand in each lock. */
export function findInstallLocks(base: string = BASE): Found {
  return { skipped: null, leavings: namesIn(base).filter((name) => NAME.test(name)).flatMap((name) => toLeaving(join(base, name))) };
}

function namesIn(base: string): readonly string[] {
  try {
    return readdirSync(base);
  } catch {
    return [];
  }
}

function toLeaving(path: string): readonly Leaving[] {
  try {
    const owners = readFileSync(join(path, 'owners'), 'utf8').split('\n');
    return [
      {
        kind: 'lock',
        name: path,
        runId: null,
        createdAt: statSync(path).mtime.toISOString(),
        ownerPid: Number(owners[0]?.split(' ')[0]) || null,
        inUse: owners.some((owner) => isRunning(owner)),
        remove: () => rm(path, { recursive: true, force: true }),
      },
    ];
  } catch {
    return []; // it has just gone, or says nothing of its owner
  }
}
