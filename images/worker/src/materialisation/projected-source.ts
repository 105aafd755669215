import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

import { systemCode, WorkerError } from '../errors.ts';

/**
 * A projected volume. The kubelet keeps its files under `..data`, a link to a folder with a time stamp that it swaps as a
 * whole, so that one swap changes all files at once. The link is followed once and every file read from that same folder:
 * a key is never copied beside the certificate of another update.
 */
export class ProjectedSource {
  readonly #root: string;
  readonly #snapshot: string;

  private constructor(root: string, snapshot: string) {
    this.#root = root;
    this.#snapshot = snapshot;
  }

  static async open(path: string): Promise<ProjectedSource> {
    const root = await realpath(path).catch((cause: unknown) => {
      throw refused(path, `expected a folder, got an error (${systemCode(cause) ?? 'unknown'})`, cause);
    });
    const snapshot = await realpath(join(root, '..data')).catch(() => root);
    return new ProjectedSource(root, snapshot);
  }

  /** The bytes of one file; links are followed as long as they stay inside the volume. The caller owns the buffer. */
  async read(name: string, maxBytes: number): Promise<Buffer> {
    const path = join(this.#snapshot, name);
    const target = await realpath(path).catch((cause: unknown) => {
      throw refused(path, `expected a file, got an error (${systemCode(cause) ?? 'unknown'}); does the projected volume have an item for it?`, cause);
    });
    if (!target.startsWith(this.#root + sep)) throw refused(path, 'expected a file of the volume, got a link that leads out of it');
    const file = await open(target, 'r');
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw refused(path, 'expected a regular file, got another kind of file');
      if (stats.size < 1 || stats.size > maxBytes) throw refused(path, `expected 1 to ${maxBytes} bytes, got ${stats.size}`);
      const bytes = Buffer.alloc(stats.size);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      if (bytesRead !== stats.size) throw refused(path, 'the file changed while it was read');
      return bytes;
    } finally {
      await file.close();
    }
  }
}

function refused(path: string, problem: string, cause?: unknown): WorkerError {
  return new WorkerError('WORKER_FILE_REFUSED', `the source ${path}: ${problem}`, { cause, facts: { path } });
}
