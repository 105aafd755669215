import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalPostgresError } from './local-server-error.ts';
import type { ServerProcess } from './local-server-process.ts';

const START_DEADLINE_MS = 30_000;

/**
 * Waits until the server's own status file says `ready` (its eighth line; see pg_ctl and miscadmin.h), or the server ends.
 * A server that says so has bound its port and answers.
 */
export async function waitForServer(server: ServerProcess, dataDirectory: string, logFile: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = async (): Promise<void> => {
    if (await isReady(dataDirectory)) resolve();
  };
  const watcher = watch(dataDirectory, () => void look().catch(reject));
  const timer = setTimeout(
    () => reject(new LocalPostgresError('QL3_LOCAL_POSTGRES_START_TIMEOUT', `PostgreSQL was not ready within ${START_DEADLINE_MS} ms`)),
    START_DEADLINE_MS,
  );
  void server.exited.then(async (code) => {
    reject(
      new LocalPostgresError(
        'QL3_LOCAL_POSTGRES_START_FAILED',
        `PostgreSQL ended with code ${String(code)} before it was ready. Its last words:\n${await lastWords(logFile)}`,
      ),
    );
  });
  try {
    await look();
    await promise;
  } finally {
    clearTimeout(timer);
    watcher.close();
  }
}

async function isReady(dataDirectory: string): Promise<boolean> {
  try {
    const lines = (await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8')).split('\n');
    return lines[7]?.trim() === 'ready';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function lastWords(logFile: string): Promise<string> {
  const log = await readFile(logFile, 'utf8').catch(() => '(no log)');
  return log.trimEnd().split('\n').slice(-10).join('\n');
}
