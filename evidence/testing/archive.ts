import type { BundleFiles } from '../bundle-layout.ts';
import { tarHeader } from '../tar-header.ts';

/** The files as an archive, in the order of their paths. */
export function archiveOf(files: BundleFiles): Buffer {
  const entries = [...files].sort(([left], [right]) => (left < right ? -1 : 1));
  return Buffer.concat([...entries.flatMap(([path, bytes]) => [tarHeader(path, bytes.length), bytes, new Uint8Array(-bytes.length & 511)]), new Uint8Array(1024)]);
}
