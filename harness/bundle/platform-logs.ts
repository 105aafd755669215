import type { PlatformLogLine } from '../../evidence/bundle-parts.ts';
import type { PlatformLog } from '../substrate/substrate.ts';

/** The logs line by line, in the order in which the platform gives them. */
export async function linesOfLogs(logs: AsyncIterable<PlatformLog>): Promise<PlatformLogLine[]> {
  const lines: PlatformLogLine[] = [];
  for await (const { name, bytes } of logs) {
    for (const text of Buffer.from(bytes).toString().split('\n')) if (text !== '') lines.push({ log: name, text });
  }
  return lines;
}
