import type Docker from 'dockerode';
import { Readable } from 'node:stream';
import { Header } from 'tar';

export interface ContainerFile {
  /** Absolute; missing folders are made, readable by all. */
  readonly path: string;
  readonly content: string | Buffer;
  readonly mode: number;
  readonly uid?: number;
}

const BLOCK_BYTES = 512;

/** Puts files into a container, started or not, without anything on this machine's disk. */
export async function putFiles(container: Docker.Container, files: readonly ContainerFile[]): Promise<void> {
  await container.putArchive(Readable.from([packFiles(files)]), { path: '/' });
}

function packFiles(files: readonly ContainerFile[]): Buffer {
  const folders = new Set(files.map(({ path }) => path.slice(1, path.lastIndexOf('/'))));
  const blocks = [...folders].flatMap((folder) => entry({ path: `${folder}/`, mode: 0o755, type: 'Directory', uid: 0 }, Buffer.alloc(0)));
  for (const { path, content, mode, uid = 0 } of files) blocks.push(...entry({ path: path.slice(1), mode, type: 'File', uid }, Buffer.from(content)));
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function entry({ path, mode, type, uid }: { path: string; mode: number; type: 'File' | 'Directory'; uid: number }, content: Buffer): Buffer[] {
  const header = new Header({ path, mode, type, uid, gid: uid, size: content.length, mtime: new Date() });
  const block = Buffer.alloc(BLOCK_BYTES);
  if (header.encode(block)) throw new RangeError(`${path} does not fit into a plain tar header`);
  return [block, content, Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES)];
}
