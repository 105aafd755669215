import type Docker from 'dockerode';
import { listRunObjects, removeRunObjects, type RunObject } from './run-objects.ts';
import { isOwnerDead } from './run-labels.ts';

export interface Cleaning {
  readonly removed: readonly RunObject[];
  /** Of runs whose process lives, or of which that cannot be ruled out. */
  readonly inUse: readonly RunObject[];
  readonly failures: readonly Error[];
}

/** Removes what runs have left behind whose process is provably dead, and touches nothing else. */
export async function cleanLeavings(docker: Docker): Promise<Cleaning> {
  const objects = await listRunObjects(docker);
  const leavings = objects.filter(({ labels }) => isOwnerDead(labels));
  const failures = await removeRunObjects(docker, leavings);
  return { removed: leavings, inUse: objects.filter((object) => !leavings.includes(object)), failures };
}
