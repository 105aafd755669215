import type { Profile } from '../questions/question.ts';

export interface Arguments {
  readonly report: string;
  readonly profile: Profile;
  readonly observations: string | null;
  readonly bundle: string | null;
  readonly publicKey: string | null;
  readonly sourceCommittedAt: Date | null;
  /** No table on stderr, not even on a terminal. */
  readonly json: boolean;
}

/** `call` is how the auditor is called where this runs. */
export function usageOf(call: string): string {
  const options = ['--report=/absolute/report.json [--profile=release|rehearsal]', '[--bundle=/absolute/tar-or-folder [--public-key=/absolute/key.pem]]', '[--observations=/absolute/folder-or-log] [--source-committed-at=ISO] [--json]'];
  return `usage: ${call} ${options.join(`\n${' '.repeat(`usage: ${call} `.length)}`)}\nexit: 0 compatible, 1 findings, 2 unreadable or usage`;
}

export class UsageError extends Error {}

export function asksForHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h');
}

/** Every option once, each with its value; anything else is refused. */
export function parseArguments(argv: readonly string[]): Arguments {
  const given = new Map<string, string>();
  for (const argument of argv) {
    const [, name, value = null] = /^--([a-z-]+)(?:=(.*))?$/s.exec(argument) ?? [];
    if (name === undefined || !KNOWN.has(name)) throw new UsageError(`unknown argument ${JSON.stringify(argument.slice(0, 200))}`);
    if (given.has(name)) throw new UsageError(`expected --${name} at most once`);
    if ((value === null) !== (name === 'json') || value === '') throw new UsageError(`expected --${name}${name === 'json' ? ' without a value' : '=VALUE, got no value'}`);
    given.set(name, value ?? '');
  }
  const report = given.get('report');
  if (report === undefined) throw new UsageError('expected --report=/absolute/report.json, got none');
  const [bundle = null, publicKey = null] = [given.get('bundle'), given.get('public-key')];
  if (publicKey !== null && bundle === null) throw new UsageError('expected --bundle beside --public-key: it holds the signature');
  if (bundle !== null && given.has('observations')) throw new UsageError('expected one of --bundle and --observations: a bundle brings its own');
  return { report, profile: profileOf(given.get('profile')), observations: given.get('observations') ?? null, bundle, publicKey, sourceCommittedAt: instantOf(given.get('source-committed-at')), json: given.has('json') };
}

const KNOWN: ReadonlySet<string> = new Set(['report', 'profile', 'observations', 'bundle', 'public-key', 'source-committed-at', 'json']);

function profileOf(text = 'release'): Profile {
  if (text === 'release' || text === 'rehearsal') return text;
  throw new UsageError(`expected --profile to be release or rehearsal, got ${JSON.stringify(text.slice(0, 200))}`);
}

function instantOf(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const instant = new Date(text);
  if (Number.isNaN(instant.getTime())) throw new UsageError('expected --source-committed-at to be an ISO 8601 instant');
  return instant;
}
