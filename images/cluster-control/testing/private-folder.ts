import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder of mode 0700 for one test, removed when it is disposed of. */
export class PrivateFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(folder: string) {
    this.path = folder;
  }

  static async create(): Promise<PrivateFolder> {
    return new PrivateFolder(await mkdtemp(path.join(tmpdir(), 'ql3-control-')));
  }

  async write(name: string, content: string | Buffer, mode = 0o600): Promise<string> {
    const file = path.join(this.path, name);
    await writeFile(file, content);
    await chmod(file, mode);
    return file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
