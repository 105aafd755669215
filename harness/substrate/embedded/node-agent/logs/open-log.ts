import { PassThrough, type Readable } from 'node:stream';
import type { LogOptions } from '../../api-server/in-process-api.ts';
import type { ContainerLog, LogLine } from './container-log.ts';

/** A container's log as `kubectl logs` asks for it. With follow it ends when the container does. */
export function openLog(log: ContainerLog, options: Omit<LogOptions, 'container' | 'previous'>): Readable {
  const output = new PassThrough();
  const limit = { leftBytes: options.limitBytes ?? Number.POSITIVE_INFINITY };
  const write = (line: LogLine): void => {
    const bytes = Buffer.from(options.timestamps === true ? `${line.at} ${line.text}\n` : `${line.text}\n`);
    if (output.writable) output.write(bytes.subarray(0, limit.leftBytes));
    limit.leftBytes -= bytes.length;
    if (limit.leftBytes <= 0) output.end();
  };
  for (const line of selectedLines(log.lines(), options)) if (limit.leftBytes > 0) write(line);
  if (!options.follow) return output.end();
  const unfollow = log.follow(write, () => output.end());
  return output.on('close', unfollow);
}

function selectedLines(lines: LogLine[], { tailLines, sinceSeconds }: Pick<LogOptions, 'tailLines' | 'sinceSeconds'>): LogLine[] {
  const since = sinceSeconds === undefined ? '' : new Date(Date.now() - sinceSeconds * 1000).toISOString();
  const recent = lines.filter((line) => line.at >= since);
  if (tailLines === undefined) return recent;
  return tailLines === 0 ? [] : recent.slice(-tailLines);
}
