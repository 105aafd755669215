import type { FailureIndex } from '../../evidence/failure-index.ts';
import { lineInWords } from '../cluster/line-words.ts';
import { showable } from '../progress/showable.ts';
import type { FailureFile, FailureFolder } from './failure-folder.ts';

type Lines = NonNullable<FailureIndex['lines']>;

const SHOWN = 3;
const READ_LINES = 300;
const TELLING = /fatal|panic|error|fail|refus|denied|reject|exception|kill|unable|cannot|could not|timed? ?out|abort|terminat|shut/i;
const SYSTEM_ERROR = /\bE[A-Z]{4,}\b/;
/** What surrounds an error in the words of Node.js: frames of its stack, where it was thrown, brackets, properties without a value. */
const AROUND_AN_ERROR = /^(?:at .*(?:\(.*\)|:\d+:\d+|<anonymous>)(?: \{)?|throw .*;|Node\.js v\d.*|[\s^~{}[\](),;]*|\w+: (?:\[\]|\{\}|undefined|null|\[|\{),?)$/;
const LOG_KINDS: ReadonlySet<FailureFile['kind']> = new Set(['pod-log', 'pod-log-previous', 'cluster-log', 'database-log']);

/** Which containers do the work of a step; the first that has a log is looked at. */
const CONTAINERS_OF_STEP: Readonly<Record<string, readonly string[]>> = {
  'generation-3': ['executor', 'worker'],
  ingress: ['control'],
  probes: ['probe', 'control'],
  'side probes': ['worker', 'control'],
};
const PLATFORM_STEPS: ReadonlySet<string> = new Set(['boot', 'images', 'start the substrate']);

/**
 * The three lines that say most, of the log that is concerned: of the container that the error or the wait names, of the
 * platform when that has died, of PostgreSQL when a query failed, else of whoever does the step's work.
 */
export function usefulLines(folder: FailureFolder, files: readonly FailureFile[], about: Pick<FailureIndex, 'step' | 'expectation' | 'causes'>): Lines | null {
  const logs = files.filter(({ kind, sizeBytes }) => LOG_KINDS.has(kind) && sizeBytes > 1);
  for (const file of concerned(logs, about)) {
    const lines = tellingLines(folder.read(file.path));
    if (lines.length > 0) return { of: nameOf(file), file: file.path, lines };
  }
  return null;
}

function concerned(logs: readonly FailureFile[], { step, expectation, causes }: Pick<FailureIndex, 'step' | 'expectation' | 'causes'>): FailureFile[] {
  const said = causes.map(({ code, message }) => `${code ?? ''} ${message}`).join('\n');
  const named = (text: string): FailureFile[] => logs.filter(({ kind, of }) => kind.startsWith('pod-log') && text.includes(of.split('/')[1] ?? '\0')).toSorted((a, b) => nearness(b, text) - nearness(a, text));
  const database = logs.filter(({ kind }) => kind === 'database-log');
  const cluster = logs.filter(({ kind }) => kind === 'cluster-log');
  const platform = /PLATFORM_DIED|START_FAILED/.test(said) ? (/postgres|database/i.test(said) ? [...database, ...cluster] : [...cluster, ...database]) : [];
  const query = causes.some(({ code, message }) => isSqlState(code) || /postgres|database|pg_/i.test(message)) ? database : [];
  const workers = (CONTAINERS_OF_STEP[step?.id ?? ''] ?? ['worker', 'control']).flatMap((container) => logs.filter(({ kind, of }) => kind === 'pod-log' && of.endsWith(`/${container}`)).toReversed());
  const byStep = PLATFORM_STEPS.has(step?.id ?? '') ? [...cluster, ...database] : workers;
  return [...new Set([...named(said), ...platform, ...query, ...named(expectation?.expected ?? ''), ...byStep, ...cluster])];
}

/** The container that is named as well comes first; of it, the log before its restart. */
function nearness({ kind, of }: FailureFile, text: string): number {
  const container = of.split('/')[2] ?? '';
  return (new RegExp(`\\b${container}\\b`).test(text) ? 2 : 0) + (kind === 'pod-log-previous' ? 1 : 0);
}

function isSqlState(code: string | null): boolean {
  return code !== null && /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
}

/** The last ones that tell of something wrong, filled up with the last ones of all, in their order; what surrounds an error only where there is nothing else. */
function tellingLines(text: string): string[] {
  const all = text.split('\n').map(compact).filter((line) => line !== '').slice(-READ_LINES);
  const said = all.filter((line) => !AROUND_AN_ERROR.test(line.trim()));
  const lines = said.length > 0 ? said : all;
  const last = [...lines.keys()].reverse();
  const chosen = [...new Set([...last.filter((index) => isTelling(lines[index] ?? '')), ...last])].slice(0, SHOWN).sort((a, b) => a - b);
  return chosen.map((index) => lines[index] ?? '');
}

function isTelling(line: string): boolean {
  return TELLING.test(line) || SYSTEM_ERROR.test(line);
}

/** A JSON line by what it says and when, without what is the same in every line. */
function compact(line: string): string {
  if (!line.startsWith('{')) return showable(line);
  try {
    return showable(lineInWords(JSON.parse(line) as Record<string, unknown>, { withTime: true }));
  } catch {
    return showable(line);
  }
}

function nameOf({ kind, of }: FailureFile): string {
  if (kind === 'cluster-log' || kind === 'database-log') return of;
  const [namespace = '', pod = '', container = ''] = of.split('/');
  return `container ${container} of Pod ${namespace}/${pod}${kind === 'pod-log-previous' ? ', before it was started again' : ''}`;
}
