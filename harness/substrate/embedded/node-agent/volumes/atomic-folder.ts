import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface ProjectedFile {
  readonly content: Buffer;
  readonly mode: number;
  /** Owner other than the node's own user. */
  readonly uid?: number;
}

/** Relative path to file. */
export type Payload = ReadonlyMap<string, ProjectedFile>;

/**
 * Files that change all at once, laid out as the kubelet does: `name -> ..data/name`, `..data -> ..<time>.<random>`.
 * A reader sees either the old files or the new ones, never some of each.
 */
export class AtomicFolder {
  readonly #directory: string;
  readonly #fsGroup: number | null;
  #current: Payload | null = null;

  constructor(directory: string, fsGroup: number | null) {
    this.#directory = directory;
    this.#fsGroup = fsGroup;
  }

  /** True when something had changed. */
  async write(payload: Payload): Promise<boolean> {
    if (this.#current !== null && isSame(this.#current, payload)) return false;
    const before = await readlink(join(this.#directory, '..data')).catch(() => null);
    const version = `..${new Date().toISOString().slice(0, 19).replaceAll(/[-T:]/g, '_')}.${randomBytes(5).toString('hex')}`;
    await this.#makeFolder(join(this.#directory, version));
    for (const [path, file] of payload) await this.#writeFile(join(this.#directory, version, path), file);
    await symlink(version, join(this.#directory, '..data_tmp'));
    await rename(join(this.#directory, '..data_tmp'), join(this.#directory, '..data'));
    await this.#linkNames(new Set([...payload.keys()].map((path) => path.split('/')[0] ?? path)));
    if (before !== null) await rm(join(this.#directory, before), { recursive: true, force: true });
    this.#current = payload;
    return true;
  }

  async #writeFile(path: string, file: ProjectedFile): Promise<void> {
    await this.#makeFolder(dirname(path));
    await writeFile(path, file.content, { mode: 0o600 });
    if (this.#fsGroup !== null || file.uid !== undefined) await chown(path, file.uid ?? process.getuid?.() ?? 0, this.#fsGroup ?? process.getgid?.() ?? 0);
    // The Pod's group must be able to read what is mounted for it, whatever the mode says (Kubernetes: fsGroup).
    await chmod(path, this.#fsGroup === null ? file.mode : file.mode | 0o440);
  }

  async #makeFolder(path: string): Promise<void> {
    const first = await mkdir(path, { recursive: true, mode: 0o755 });
    if (first === undefined) return;
    await chmod(path, 0o755);
    if (this.#fsGroup !== null) await chown(path, process.getuid?.() ?? 0, this.#fsGroup);
  }

  async #linkNames(names: ReadonlySet<string>): Promise<void> {
    const present = new Set((await readdir(this.#directory)).filter((name) => !name.startsWith('..')));
    for (const name of present.difference(names)) await rm(join(this.#directory, name));
    for (const name of names.difference(present)) await symlink(join('..data', name), join(this.#directory, name));
  }
}

function isSame(a: Payload, b: Payload): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([path, file]) => {
    const other = b.get(path);
    return other !== undefined && other.mode === file.mode && other.content.equals(file.content);
  });
}
