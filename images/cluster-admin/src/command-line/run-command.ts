import { programHelp, type ProgramHelp } from '../../../core/program-help.ts';
import { UsageError } from './usage-error.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 64;

export interface Command {
  readonly component: string;
  /** `execution`: the lines are `execution_completed` and `execution_failed`. */
  readonly subject: string;
  /** For `--help`: text for people on stdout, and nothing is done. */
  readonly help: ProgramHelp;
  /** What to print on success, besides schemaVersion, component and event. */
  readonly run: (signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Runs one command as a process: one line of JSON on stdout when it succeeded, one
 * on stderr when it failed, and never both. SIGINT and SIGTERM abort it.
 */
export async function runCommand({ component, subject, help, run }: Command): Promise<void> {
  if (process.argv.slice(2).includes('--help')) {
    process.stdout.write(programHelp(help));
    return;
  }
  const abort = new AbortController();
  const stop = (name: string): void => abort.abort(new Error(`stopped by ${name}`));
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    const answer = await run(abort.signal);
    process.stdout.write(`${JSON.stringify({ schemaVersion: 1, component, event: `${subject}_completed`, ...answer })}\n`);
  } catch (error) {
    process.exitCode = error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
    process.stderr.write(`${JSON.stringify({ schemaVersion: 1, component, event: `${subject}_failed`, ...describeFailure(error) })}\n`);
  } finally {
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  }
}

/** Name, code and reason. Where an error has no reason code, its message is the reason; messages carry no secrets. */
function describeFailure(error: unknown): { name: string; code: string | null; reason: string; help?: string } {
  const { name, code, reason, message } = error as { name?: unknown; code?: unknown; reason?: unknown; message?: unknown };
  return {
    name: typeof name === 'string' ? name : 'Error',
    code: typeof code === 'string' ? code : null,
    reason: typeof reason === 'string' ? reason : typeof message === 'string' ? message : 'unknown',
    ...(error instanceof UsageError ? { help: '--help tells what is needed' } : {}),
  };
}
