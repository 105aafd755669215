import { auditReport, conclude, type Audit } from '../audit-report.ts';
import { findings } from '../findings.ts';
import { fstatSync } from '../input/file-system.ts';
import { InputError } from '../input/read-file.ts';
import { readReport } from '../input/read-report.ts';
import { secretExposure } from '../questions/secret-exposure.ts';
import { asksForHelp, parseArguments, UsageError, usageOf, type Arguments } from './arguments.ts';
import { renderTable } from './render-table.ts';

export const [STDOUT, STDERR] = [1, 2] as const;
export const EXIT = { compatible: 0, findings: 1, unreadable: 2 } as const;

/** Writes to a descriptor of this process. */
export type Say = (descriptor: typeof STDOUT | typeof STDERR, text: string) => void;

/** The auditor as a command: arguments in, its answer on stdout, exit code out. `call` is how it is called here, for who asks or errs. */
export async function audit(argv: readonly string[], say: Say, call: string): Promise<number> {
  if (asksForHelp(argv)) {
    say(STDERR, `${usageOf(call)}\n`);
    return EXIT.compatible;
  }
  try {
    const options = parseArguments(argv);
    const judged = await judge(options, say);
    say(STDOUT, `${JSON.stringify(judged)}\n`);
    if (!options.json && (await isTerminal(STDERR))) say(STDERR, renderTable(judged));
    return judged.compatible ? EXIT.compatible : EXIT.findings;
  } catch (error) {
    if (error instanceof UsageError) say(STDERR, `QL3_USAGE: ${error.message}; see ${call} --help\n`);
    else if (error instanceof InputError) say(STDERR, `${error.code}: ${error.message}\n`);
    else throw error;
    return EXIT.unreadable;
  }
}

/** A pipe or a file is none, and is known without loading what asks a terminal. */
async function isTerminal(descriptor: number): Promise<boolean> {
  return fstatSync(descriptor).isCharacterDevice() && (await import('node:tty')).isatty(descriptor);
}

async function judge({ report: path, profile, observations, bundle, publicKey, sourceCommittedAt }: Arguments, say: Say): Promise<Audit> {
  const read = readReport(path);
  if (read.fault !== null) return conclude(null, [...findings('REPORT_SHAPE', [read.fault]), ...findings('SECRET_EXPOSURE', secretExposure(read.text))]);
  const judged = auditReport(read.value, { profile, now: new Date(), sourceCommittedAt });
  if (bundle === null && observations === null) {
    say(STDERR, 'report alone: only judged to be whole and consistent; --bundle=/absolute/tar-or-folder derives it anew\n');
    return judged;
  }
  // only now: a report alone is judged without loading what derives one
  const { judgeBundle, auditObservations, readObservationLog } = await import('./judge-evidence.ts');
  if (bundle === null) return conclude(judged.fixture, [...judged.findings, ...auditObservations(readObservationLog(observations ?? ''), read.value)]);
  const { found, signature, age } = judgeBundle({ bundle, publicKey, report: read });
  say(STDERR, `${age === null ? '' : `bundle: ${age}\n`}signature: ${signature}\n`);
  return conclude(judged.fixture, [...judged.findings, ...found]);
}
