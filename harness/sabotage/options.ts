import { isAbsolute } from 'node:path';
import { parseArgs } from 'node:util';

export const USAGE = `usage: npm run sabotage [-- OPTIONS]

Tells lies about the contract and asks the auditor: each must be caught by the gate, probe, field or finding that it is about.
Some are told by a patched copy of the committed tree in a whole rehearsal, some in the log of a good run.

  --only=NAME         this lie alone; may be given several times
  --log-lies-only     no patched trees
  --tree-lies-only    no changed logs
  --log=FILE          the log of a good rehearsal to lie in, instead of recording one; give a second for lies that copy from another run
  --jobs=N            rehearsals at a time (2)
  --keep=FOLDER       where the logs of all runs are kept`;

export interface Options {
  readonly only: readonly string[];
  readonly told: 'all' | 'tree' | 'log';
  readonly logs: readonly string[];
  readonly jobs: number;
  readonly keep: string | null;
  readonly help: boolean;
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function parseOptions(args: readonly string[]): Options {
  const { values } = parse(args);
  const logs = values.log ?? [];
  const paths = [...logs, ...(values.keep === undefined ? [] : [values.keep])];
  const relative = paths.find((path) => !isAbsolute(path));
  if (relative !== undefined) throw new UsageError(`expected an absolute path, got ${relative}`);
  if (logs.length > 2) throw new UsageError(`--log: expected at most two, got ${logs.length}`);
  if (values['log-lies-only'] === true && values['tree-lies-only'] === true) throw new UsageError('--log-lies-only and --tree-lies-only leave nothing');
  const jobs = Number(values.jobs ?? '2');
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > 16) throw new UsageError(`--jobs: expected 1 to 16, got ${values.jobs}`);
  const told = values['log-lies-only'] === true ? 'log' : values['tree-lies-only'] === true ? 'tree' : 'all';
  return { only: values.only ?? [], told, logs, jobs, keep: values.keep ?? null, help: values.help === true };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        only: { type: 'string', multiple: true },
        log: { type: 'string', multiple: true },
        'log-lies-only': { type: 'boolean' },
        'tree-lies-only': { type: 'boolean' },
        jobs: { type: 'string' },
        keep: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
