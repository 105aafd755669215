import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { create } from 'tar';
import { MOST_BUNDLE_BYTES, type BundleFiles } from '../../evidence/bundle-layout.ts';
import { assertReportPath, ReportFileError, writeNewFile } from '../../evidence/report-file.ts';
import { HarnessError } from '../run/errors.ts';

export const isArchivePath = (path: string): boolean => path.endsWith('.tar');

/** Writes the files below a new folder, 0700 with files of 0600. */
export async function writeBundleFolder(directory: string, files: BundleFiles): Promise<void> {
  await mkdir(directory, { mode: 0o700 });
  const paths = sortedPaths(files);
  for (const folder of new Set(paths.map((path) => dirname(path)).filter((each) => each !== '.'))) await mkdir(join(directory, folder), { mode: 0o700 });
  for (const path of paths) await writeNewFile(join(directory, path), files.get(path) ?? new Uint8Array());
}

/** The archive of a folder that was just written: the same files give the same bytes on every machine. */
export async function archiveBundleFolder(directory: string, files: BundleFiles): Promise<Buffer> {
  const stream = create({ cwd: directory, portable: true, noPax: true, noDirRecurse: true, strict: true, mtime: new Date(0) }, sortedPaths(files));
  const archive = await buffer(stream);
  if (archive.length > MOST_BUNDLE_BYTES) throw new HarnessError('QL3_DEFECT', `expected a bundle of at most ${MOST_BUNDLE_BYTES} bytes, got ${archive.length}`);
  return archive;
}

/** Leaves the bundle at a path that must not exist; the name appears only when every byte is on disk. */
export async function writeBundle(path: string, files: BundleFiles, archive: Buffer): Promise<void> {
  if (isArchivePath(path)) return await writeNewFile(path, archive);
  assertReportPath(path);
  const temporary = await mkdtemp(join(dirname(path), `.${basename(path)}.`));
  try {
    const whole = join(temporary, 'bundle');
    await writeBundleFolder(whole, files);
    await mkdir(path, { mode: 0o700 }).catch((cause: unknown) => {
      throw new ReportFileError('REPORT_EXISTS', `${path} came into being while the run went on; nothing was overwritten`, { cause });
    });
    // onto the empty folder that is ours: as one step
    await rename(whole, path);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function sortedPaths(files: BundleFiles): string[] {
  return [...files.keys()].sort();
}
