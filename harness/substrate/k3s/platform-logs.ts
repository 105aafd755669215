import type Docker from 'dockerode';
import { withoutSecrets } from '../../run/without-secrets.ts';
import { lastBytes, MOST_LOG_BYTES } from '../log-text.ts';
import type { PlatformLog } from '../substrate.ts';
import { lastLines } from './container-log.ts';

const LINES = 20_000;

/** The containers' own logs, one after another, without what is secret and without what would be too long. */
export async function* readPlatformLogs(containers: Readonly<Record<string, Promise<Docker.Container>>>, secrets: readonly string[]): AsyncGenerator<PlatformLog> {
  for (const [name, container] of Object.entries(containers)) {
    const text = await container.then((started) => lastLines(started, LINES)).catch((error: Error) => `(the log could not be read: ${error.message})\n`);
    yield { name, bytes: lastBytes(withoutSecrets(text, secrets), MOST_LOG_BYTES) };
  }
}
