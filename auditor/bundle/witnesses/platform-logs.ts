import { BUNDLE_LAYOUT } from '../../../evidence/bundle-layout.ts';
import { platformLogLine, type PlatformLogLine } from '../../../evidence/bundle-parts.ts';
import { CLOCK_BOUND_MS } from '../../../evidence/clock-bound.ts';
import { instantMs } from '../../../evidence/instants.ts';
import type { Observation, ObservationBodies } from '../../../evidence/observation.ts';
import { readLines } from '../canonical-text.ts';

const { path } = BUNDLE_LAYOUT.platformLogs;
const DATABASE_LOG = 'postgres.log';
/** As PostgreSQL begins a line by default, `%m [%p] `, and with the user behind it, `%m [%p] %u `, which is empty for its own processes. */
const LINE = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) (?:UTC|GMT) \[(\d+)\] (?:(\S*) )?([A-Z]+\d?): {2}(.*)$/;
/** What may stand between an error and the statement that it is of. */
const BETWEEN = new Set(['DETAIL', 'HINT', 'CONTEXT', 'QUERY', 'LOCATION']);
const INSUFFICIENT_PRIVILEGE = '42501';
/** Of every run that began later, PostgreSQL was told to name whom a line is of: names that are missing were taken out. */
const USERS_NAMED_SINCE_MS = Date.UTC(2026, 10, 30, 6);
const MOST_FAULTS = 20;

interface LoggedLine {
  readonly atMs: number;
  readonly process: string;
  /** Undefined where lines do not name it. */
  readonly user: string | undefined;
  readonly severity: string;
  readonly text: string;
}

interface Refusal extends LoggedLine {
  /** Null where PostgreSQL was told not to log it. */
  readonly statement: string | null;
}

type Attempt = ObservationBodies['probe.result'];

/** What PostgreSQL itself logged of the attempts that it refused, and of its version. The attempts' own word is the harness's. */
export function platformLogFaults(text: string, observations: readonly Observation[]): readonly string[] {
  const { values, faults } = readLines(path, text, platformLogLine);
  const lines = values.flatMap(toLoggedLine);
  return [...faults, ...refusalFaults(lines, observations), ...versionFaults(lines, observations)];
}

function toLoggedLine({ log, text }: PlatformLogLine): LoggedLine[] {
  const [, day, time, process = '', user, severity = '', said = ''] = log === DATABASE_LOG ? (LINE.exec(text) ?? []) : [];
  return day === undefined ? [] : [{ atMs: instantMs(`${day}T${time}Z`), process, user, severity, text: said }];
}

/** Each attempt has a refusal of its own, in the order of time: of its role and its statement, where PostgreSQL names them. */
function refusalFaults(lines: readonly LoggedLine[], observations: readonly Observation[]): string[] {
  const refusals = lines.flatMap((line, index) => (line.severity === 'ERROR' && line.text.startsWith('permission denied ') ? [{ ...line, statement: statementOf(lines, index) }] : []));
  const started = observations.find(({ kind }) => kind === 'run.started');
  const namesUsers = lines.some(({ user }) => user !== undefined) || (started !== undefined && instantMs(started.at) >= USERS_NAMED_SINCE_MS);
  const namesStatements = started?.kind === 'run.started' && started.body.substrate === 'k3s';
  const unseen: string[] = [];
  let next = 0;
  for (const { seq, kind, body } of observations) {
    if (kind !== 'probe.result' || body.probe !== 'database-forbidden-statement' || body.facts['sqlState'] !== INSUFFICIENT_PRIVILEGE) continue;
    const [fromMs, toMs] = [instantMs(body.startedAt) - CLOCK_BOUND_MS, instantMs(body.endedAt) + CLOCK_BOUND_MS];
    while ((refusals[next]?.atMs ?? Infinity) < fromMs) next += 1;
    let own = next;
    while ((refusals[own]?.atMs ?? Infinity) <= toMs && !isRefusalOf(refusals[own] as Refusal, body, namesUsers, namesStatements)) own += 1;
    if ((refusals[own]?.atMs ?? Infinity) <= toMs) next = own + 1;
    else if (unseen.push(`${path}: observation ${seq} says that ${String(body.facts['role'])} was refused a statement; the database logged no such refusal then`) >= MOST_FAULTS) break;
  }
  return unseen;
}

function statementOf(lines: readonly LoggedLine[], index: number): string | null {
  const { process } = lines[index] as LoggedLine;
  let after = index + 1;
  while (lines[after]?.process === process && BETWEEN.has(lines[after]?.severity ?? '')) after += 1;
  const line = lines[after];
  return line?.process === process && line.severity === 'STATEMENT' ? line.text : null;
}

/** What was refused stands last in the refusal: `for table worker_credentials`, `to create role`. */
function isRefusalOf({ user, statement, text }: Refusal, { facts }: Attempt, namesUsers: boolean, namesStatements: boolean): boolean {
  const { role, statement: tried } = facts;
  const [, refused = ''] = /(\w+)$/.exec(text) ?? [];
  if (typeof tried !== 'string' || !tried.toLowerCase().split(/\W+/).includes(refused.toLowerCase())) return false;
  return (!namesUsers || user === role) && (statement === null ? !namesStatements : statement === tried);
}

function versionFaults(lines: readonly LoggedLine[], observations: readonly Observation[]): string[] {
  const started = lines.flatMap(({ text }) => /^starting PostgreSQL (\S+)/.exec(text)?.[1] ?? []);
  return observations.flatMap(({ seq, kind, body }) => {
    if (kind !== 'platform.database') return [];
    const other = started.find((version) => version !== body.serverVersion.split(' ')[0]);
    return other === undefined ? [] : [`${path}: observation ${seq} says that PostgreSQL is ${JSON.stringify(body.serverVersion.slice(0, 200))}; it logged that it is ${JSON.stringify(other.slice(0, 200))}`];
  });
}
