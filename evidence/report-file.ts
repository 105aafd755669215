import { randomBytes } from 'node:crypto';
import { accessSync, constants, lstatSync, realpathSync } from 'node:fs';
import { link, lstat, open, unlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import { canonicalJson } from './canonical-json.ts';

/** Names beside the report are longer than its own: a temporary file's, and that of the folder of a failure. */
const MAX_NAME_BYTES = 200;
const MAX_PATH_BYTES = 3_800;

export type ReportFileErrorCode =
  | 'REPORT_PATH_NOT_ABSOLUTE'
  | 'REPORT_NAME_UNUSABLE'
  | 'REPORT_EXISTS'
  | 'REPORT_PARENT_MISSING'
  | 'REPORT_PARENT_NOT_A_FOLDER'
  | 'REPORT_PARENT_LINKED'
  | 'REPORT_PARENT_SHARED'
  | 'REPORT_PARENT_READ_ONLY'
  | 'REPORT_WRITE_FAILED';

export class ReportFileError extends Error {
  readonly code: ReportFileErrorCode;
  constructor(code: ReportFileErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ReportFileError';
    this.code = code;
  }
}

/**
 * Refuses a path that a private report cannot be written to: not absolute, already there (a dangling link too), or
 * below a folder that is missing, reached through a link, or writable by others. Call it before anything starts.
 */
export function assertReportPath(path: string): void {
  if (!isAbsolute(path) || normalize(path) !== path || path.endsWith('/')) {
    throw new ReportFileError('REPORT_PATH_NOT_ABSOLUTE', `expected an absolute, normalised path of a file, got ${JSON.stringify(path)}`);
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (Buffer.byteLength(basename(path)) > MAX_NAME_BYTES || Buffer.byteLength(path) > MAX_PATH_BYTES || /[\u0000-\u001f\u007f]/.test(path)) {
    throw new ReportFileError('REPORT_NAME_UNUSABLE', `expected a path of at most ${MAX_PATH_BYTES} bytes and a name of at most ${MAX_NAME_BYTES} without control characters, got ${JSON.stringify(path.slice(0, 200))}`);
  }
  assertPrivateParent(dirname(path));
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    throw new ReportFileError('REPORT_EXISTS', `${path} exists; no file is ever overwritten, name a new one`);
  }
}

function assertPrivateParent(parent: string): void {
  const stats = lstatSync(parent, { throwIfNoEntry: false });
  if (stats === undefined) throw new ReportFileError('REPORT_PARENT_MISSING', `the folder ${parent} does not exist; create it with mode 0700`);
  if (stats.isSymbolicLink()) throw new ReportFileError('REPORT_PARENT_LINKED', `${parent} is a link; name the real folder`);
  if (!stats.isDirectory()) throw new ReportFileError('REPORT_PARENT_NOT_A_FOLDER', `${parent} is not a folder`);
  const real = realpathSync(parent);
  if (real !== parent) throw new ReportFileError('REPORT_PARENT_LINKED', `${parent} is reached through a link; name ${real}`);
  if ((stats.mode & 0o022) !== 0) {
    throw new ReportFileError('REPORT_PARENT_SHARED', `${parent} is writable by others (mode ${(stats.mode & 0o7777).toString(8)}); use a folder of mode 0700`);
  }
  try {
    accessSync(parent, constants.W_OK);
  } catch (cause) {
    throw new ReportFileError('REPORT_PARENT_READ_ONLY', `${parent} cannot be written to: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Writes the report in canonical JSON, mode 0600. The name appears only when every byte is on disk: a temporary file
 * opened exclusively is synced and then linked to the path, which fails when the path exists by then.
 */
export async function writeReport(path: string, report: unknown): Promise<void> {
  await writeNewFile(path, `${canonicalJson(report)}\n`);
}

/** Writes any other private file under the same rules. */
export async function writeNewFile(path: string, content: string | Uint8Array): Promise<void> {
  assertReportPath(path);
  const parent = dirname(path);
  const temporary = join(parent, `.${basename(path)}.${randomBytes(8).toString('hex')}`);
  try {
    await writeSynced(temporary, content);
    await linkNew(temporary, path);
    await syncFolder(parent);
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function linkNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (cause) {
    const exists = (await lstat(path).catch(() => null)) !== null;
    throw exists
      ? new ReportFileError('REPORT_EXISTS', `${path} came into being while the run went on; nothing was overwritten`, { cause })
      : new ReportFileError('REPORT_WRITE_FAILED', `could not link the new file to ${path}`, { cause });
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
