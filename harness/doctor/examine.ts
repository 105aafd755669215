import { homedir } from 'node:os';
import type { PullPolicy } from '../images/resolve-image.ts';
import { describeError } from '../run/describe-error.ts';
import { readSourceTree } from '../run/source-tree.ts';
import type { DockerConnection } from '../substrate/k3s/docker-connection.ts';
import { dockerEndpoints } from '../substrate/k3s/docker-endpoint.ts';
import type { SubstrateKind } from '../substrate/substrate.ts';
import type { Check, CheckedSubstrate, CheckState, Examination, Finding } from './check.ts';
import { askEngine, type Engine } from './engine.ts';

/** Each check has so long, and all go side by side. */
const CHECK_DEADLINE_MS = 10_000;
const ENGINE_ANSWERS_WITHIN_MS = 3_000;

export interface CheckResult {
  readonly name: string;
  readonly substrate: CheckedSubstrate;
  readonly state: CheckState;
  readonly found: string;
  readonly expected: string;
  readonly cure: string | null;
  readonly reason: string;
}

export interface ExamineOptions {
  readonly substrates: readonly SubstrateKind[];
  readonly pull?: PullPolicy;
  /** The Engine, where one has answered already. */
  readonly engine?: Engine;
  readonly environment?: Examination['environment'];
  readonly home?: string;
}

/** Looks at everything that the substrates need, and changes nothing. */
export async function examine(checks: readonly Check[], options: ExamineOptions): Promise<readonly CheckResult[]> {
  const signal = AbortSignal.timeout(CHECK_DEADLINE_MS);
  const { environment = process.env, home = homedir(), pull = 'missing', substrates } = options;
  const examination: Examination = {
    environment,
    home,
    pull,
    signal,
    engine: once(async () => (substrates.includes('k3s') ? (options.engine ?? (await findEngine({ environment, home, signal }))) : null)),
    source: once(() => readSourceTree(signal)),
  };
  const concerned = checks.filter(({ substrate }) => concerns(substrate, substrates));
  const results = await Promise.all(concerned.map(async (check) => toResults(check, await examineOne(check, examination))));
  return results.flat().filter(({ substrate }) => concerns(substrate, substrates));
}

/** Whether nothing was found that keeps the substrate from running; null when a check came to no end that might have. */
export function canRun(substrate: SubstrateKind, results: readonly CheckResult[]): boolean | null {
  const states = new Set(results.filter((result) => concerns(result.substrate, [substrate])).map(({ state }) => state));
  if (states.has('failed')) return false;
  return states.has('unfinished') ? null : true;
}

/** Whether what was checked matters to one of them. */
export function concerns(checked: CheckedSubstrate, substrates: readonly SubstrateKind[]): boolean {
  return checked === 'both' || substrates.includes(checked);
}

/** A check that comes to no end tells nothing about the machine: a run goes on without it, and the doctor gives no verdict. */
async function examineOne(check: Check, examination: Examination): Promise<readonly Finding[]> {
  const { promise: late, resolve } = Promise.withResolvers<readonly Finding[]>();
  const giveUp = (): void => resolve([unfinished(`the check came to no end within ${CHECK_DEADLINE_MS} ms`)]);
  examination.signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([Promise.resolve(check.examine(examination)), late]);
  } catch (error) {
    return [unfinished(describeError(error))];
  } finally {
    examination.signal.removeEventListener('abort', giveUp);
  }
}

function unfinished(found: string): Finding {
  return { state: 'unfinished', found, expected: 'the check comes to an end', cure: 'look again when the machine has less to do' };
}

function toResults({ name, substrate, reason }: Check, findings: readonly Finding[]): readonly CheckResult[] {
  return findings.map((finding) => ({
    name: finding.of === undefined ? name : `${name}: ${finding.of}`,
    substrate: finding.substrate ?? substrate,
    state: finding.state,
    found: finding.found,
    expected: finding.expected,
    cure: finding.cure,
    reason,
  }));
}

async function findEngine({ environment, home, signal }: Pick<Examination, 'environment' | 'home' | 'signal'>): Promise<Engine | null> {
  const connection = await firstAnswering(environment, home);
  return connection === null ? null : await askEngine(connection, signal);
}

/** Asked side by side, so that one that hangs costs no other its time; the order decides all the same. */
async function firstAnswering(environment: Examination['environment'], home: string): Promise<DockerConnection | null> {
  // who rehearses needs no Docker client
  const { connectTo } = await import('../substrate/k3s/docker-connection.ts');
  const attempts = await Promise.all(dockerEndpoints(environment, home).map((endpoint) => connectTo(endpoint, ENGINE_ANSWERS_WITHIN_MS).catch(() => null)));
  return attempts.find((connection) => connection !== null) ?? null;
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined;
  return () => (begun ??= work());
}
