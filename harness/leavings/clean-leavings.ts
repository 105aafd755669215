import { describeError } from '../run/describe-error.ts';
import { findFolders } from './find-folders.ts';
import { findInDocker } from './find-in-docker.ts';
import { findInstallLocks } from './find-install-locks.ts';
import { LEAVING_KINDS, type Leaving } from './leaving.ts';

export interface CleanRequest {
  /** Only what that run has left. */
  readonly runId: string | undefined;
  /** Only what was made before; what does not say when it was made is left. */
  readonly madeBefore: Date | null;
  readonly dryRun: boolean;
}

export interface Cleaned {
  /** With a dry run: what would have been. */
  readonly removed: readonly Leaving[];
  readonly inUse: readonly Leaving[];
  /** Of failed runs that were told to keep it: only who names the run, or an age, means these. */
  readonly kept: readonly Leaving[];
  /** How many there are of other runs, or younger ones, where only some were meant. */
  readonly notMeant: number;
  readonly failures: readonly { readonly leaving: Leaving; readonly reason: string }[];
  /** Why Docker was not looked at, or null. */
  readonly dockerSkipped: string | null;
}

/** Finds what runs have left and removes what is provably nobody's: processes before the folders that they work in, containers before their networks. */
export async function cleanLeavings({ runId, madeBefore, dryRun }: CleanRequest): Promise<Cleaned> {
  const docker = await findInDocker(runId);
  const isMeant = (leaving: Leaving): boolean =>
    (runId === undefined || leaving.runId === runId) && (madeBefore === null || (leaving.createdAt !== null && new Date(leaving.createdAt) < madeBefore));
  const found = [...docker.leavings, ...findFolders().leavings, ...findInstallLocks().leavings];
  const meant = found.filter(isMeant);
  const isSpared = ({ inUse, isKept = false }: Leaving): boolean => !inUse && isKept && runId === undefined && madeBefore === null;
  const all = meant.filter((leaving) => !isSpared(leaving));
  const removed: Leaving[] = [];
  const failures: { leaving: Leaving; reason: string }[] = [];
  for (const kind of LEAVING_KINDS) {
    const dead = all.filter((leaving) => leaving.kind === kind && !leaving.inUse);
    await Promise.all(
      dead.map(async (leaving) => {
        try {
          if (!dryRun) await leaving.remove();
          removed.push(leaving);
        } catch (error) {
          failures.push({ leaving, reason: describeError(error) });
        }
      }),
    );
  }
  return { removed, inUse: all.filter(({ inUse }) => inUse), kept: meant.filter(isSpared), notMeant: found.length - meant.length, failures, dockerSkipped: docker.skipped };
}
