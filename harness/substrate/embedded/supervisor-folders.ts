import { chmod, mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReachableByAll } from '../../run/reachable-by-all.ts';

export interface SupervisorFolders {
  /** Keys, kubeconfig, audit log, database: for this user alone. */
  readonly root: string;
  /** What Pods use; where Pods have users of their own, these can reach it. */
  readonly node: string;
  /** Everything to remove at the end. */
  readonly disposable: readonly string[];
}

/** Root's private folder cannot be entered by the users that Pods run as, so the node's folder then lies beside the other temporary ones. */
export async function prepareFolders(directory: string, changesUsers: boolean): Promise<SupervisorFolders> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const root = await realpath(directory);
  if (!changesUsers || (await isReachableByAll(root))) return { root, node: await subfolder(root), disposable: [root] };
  const node = await mkdtemp(join(await realpath(tmpdir()), 'ql3-embedded-node-'));
  await chmod(node, 0o711);
  return { root, node, disposable: [root, node] };
}

async function subfolder(root: string): Promise<string> {
  const path = join(root, 'node');
  await mkdir(path, { recursive: true, mode: 0o711 });
  return path;
}
