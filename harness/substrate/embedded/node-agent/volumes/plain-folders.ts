import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** An emptyDir: writable for everybody in the Pod, with new files in the Pod's group. */
export async function makeEmptyFolder(path: string, fsGroup: number | null): Promise<void> {
  await mkdir(path, { recursive: true });
  await giveToGroup(path, fsGroup);
}

/**
 * Kubernetes would go through a whole volume, or with OnRootMismatch stop at a root that is right already. Here the
 * root alone is given to the group: what Pods made below it keeps its modes, as with OnRootMismatch.
 */
export async function giveToGroup(path: string, fsGroup: number | null): Promise<void> {
  if (fsGroup !== null) await chown(path, process.getuid?.() ?? 0, fsGroup);
  await chmod(path, fsGroup === null ? 0o777 : 0o2777);
}

/** Bytes of all files below a folder; what vanishes meanwhile does not count. */
export async function folderBytes(path: string): Promise<number> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const sizes = entries.map(async (entry) => {
    const child = join(path, entry.name);
    if (entry.isDirectory()) return folderBytes(child);
    if (!entry.isFile()) return 0;
    return (await stat(child).catch(() => null))?.size ?? 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
