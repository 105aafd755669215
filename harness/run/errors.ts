import { EXIT_CODES } from '../cli/exit-codes.ts';

const EXIT_OF = {
  QL3_USAGE: EXIT_CODES.usage.code,
  QL3_ENVIRONMENT: EXIT_CODES.unfit.code,
  QL3_WAIT_TIMEOUT: EXIT_CODES.failed.code,
  QL3_WAIT_ENDED: EXIT_CODES.failed.code,
  QL3_CONTRACT: EXIT_CODES.failed.code,
  QL3_PLATFORM_DIED: EXIT_CODES.failed.code,
  QL3_CLUSTER_ANSWER: EXIT_CODES.failed.code,
  QL3_GATES: EXIT_CODES.failed.code,
  QL3_INTERRUPTED: EXIT_CODES.failed.code,
  QL3_PATH_REFUSED: EXIT_CODES.usage.code,
  QL3_DEFECT: EXIT_CODES.defect.code,
  QL3_UNCLEANED: EXIT_CODES.uncleaned.code,
} as const;
export type HarnessErrorCode = keyof typeof EXIT_OF;

/** An end of a run that is not success. The message says what was expected, what was got, and what to do. */
export class HarnessError extends Error {
  override readonly name = 'HarnessError';
  readonly code: HarnessErrorCode;
  readonly exitCode: number;

  constructor(code: HarnessErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.exitCode = EXIT_OF[code];
  }
}

/** System errors that say something of the machine, not of the contract or of this program. */
const UNFIT = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/** What the client of PostgreSQL says, without any code, of a server that it has lost or cannot reach. */
const DATABASE_LOST = /^(?:timeout expired|timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection error)/;

/**
 * What an error, or the first of its causes that tells, means for who started the command. A coded error of the product or of
 * the cluster is a contract that did not hold; an error that nobody foresaw is a defect of the harness.
 */
export function exitCodeOf(error: unknown): number {
  for (let current: unknown = error; typeof current === 'object' && current !== null; current = (current as { cause?: unknown }).cause) {
    if (current instanceof HarnessError) return current.exitCode;
    const { code, exitCode } = current as { code?: unknown; exitCode?: unknown };
    if (typeof exitCode === 'number') return exitCode;
    if (typeof code === 'number') return EXIT_CODES.failed.code; // the API server's answer
    if (code === undefined && current instanceof Error && DATABASE_LOST.test(current.message)) return EXIT_CODES.failed.code;
    if (typeof code !== 'string') continue;
    if (UNFIT.has(code) || code.endsWith('_START_FAILED')) return EXIT_CODES.unfit.code;
    // codes of the product, of undici, of the system, and SQLSTATEs
    if (/^(QL3_|WORKER_|UND_ERR_|E[A-Z]+$|[0-9A-Z]{5}$)/.test(code)) return EXIT_CODES.failed.code;
  }
  return EXIT_CODES.defect.code;
}
