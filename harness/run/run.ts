import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setImmediate as settled, setTimeout as delay } from 'node:timers/promises';
import { deriveReport, type Derivation } from '../../evidence/derive.ts';
import { openObservationLog, type ObservationLog } from '../../evidence/observation-log.ts';
import type { FailureIndex } from '../../evidence/failure-index.ts';
import type { Observation } from '../../evidence/observation.ts';
import { RELEASE_FIXTURE } from '../../evidence/pins.ts';
import type { Report } from '../../evidence/report.ts';
import { writeReport } from '../../evidence/report-file.ts';
import type { RunLogLine } from '../../evidence/bundle-parts.ts';
import { deliverBundle, type BundleRequest } from '../bundle/deliver-bundle.ts';
import type { RawEvidence } from '../bundle/raw-evidence.ts';
import { RUN_NAMESPACES } from '../contract/run-namespaces.ts';
import { witnessOf, type Recorder } from '../observation/recorder.ts';
import type { Activity } from '../progress/activity.ts';
import type { SourceTree, StartedSubstrate, Substrate } from '../substrate/substrate.ts';
import { BreakOff } from './break-off.ts';
import { auditReport } from './audit-report.ts';
import { describeError, tellError } from './describe-error.ts';
import { exitCodeOf, HarnessError } from './errors.ts';
import { accountOf } from './failure-account.ts';
import { collectFailureEvidence, writeFailureIndex, type Witnesses } from './failure-evidence.ts';
import { FailureFolder } from './failure-folder.ts';
import { toldAsFullDisk } from './full-disk.ts';
import type { Interruption } from './interruption.ts';
import { ReleaserStack, type ReleaseFailure } from './releasers.ts';
import { createRunDirectory, removeRunDirectory } from './run-directory.ts';
import { RunLog } from './run-log.ts';
import { RunGuard } from './run-guard.ts';
import { readSourceTree } from './source-tree.ts';
import { SpanRecorder } from './spans.ts';
import { withoutSecrets } from './without-secrets.ts';
import { writtenTo } from './written-to.ts';

const EVIDENCE_DEADLINE_MS = 60_000;
const DEATH_KNOWN_MS = 1_000;
/** An Engine that is stopped ends one container after another, and each takes its time. */
const DEATH_OF_THE_LOST_KNOWN_MS = 20_000;

export interface RunOptions {
  readonly substrate: Substrate;
  readonly reportPath: string;
  /** The bundle that goes with the report, where one is wanted. */
  readonly bundle: BundleRequest | null;
  readonly interruption: Interruption;
  readonly activity: Activity;
  say(line: string): void;
}

export type RunEnd =
  | { readonly end: 'held'; readonly derivation: Derivation; readonly spans: SpanRecorder; readonly releaseFailures: readonly ReleaseFailure[] }
  | { readonly end: 'failed'; readonly error: unknown; readonly failure: FailureIndex; readonly failureDirectory: string | null; readonly derivation: Derivation | null; readonly spans: SpanRecorder; readonly releaseFailures: readonly ReleaseFailure[] };

/**
 * One run from start to a clean machine. The report is written only when everything held and the auditor has accepted it;
 * whatever happens, what was made is removed again, and of a failure the evidence is kept first.
 */
export async function run(given: RunOptions): Promise<RunEnd> {
  const { interruption } = given;
  const runId = randomUUID();
  const spans = new SpanRecorder(given.activity);
  const runLog = new RunLog(spans);
  const options = { ...given, say: (line: string) => given.say(runLog.take(line)) };
  const releasers = new ReleaserStack();
  const directory = createRunDirectory(runId);
  const guard = new RunGuard(directory);
  releasers.add('guard of the run folder', () => guard[Symbol.asyncDispose]());
  releasers.add('run folder', () => removeRunDirectory(directory));
  const log = openObservationLog(join(directory, 'observations.jsonl'));
  releasers.add('observation log', () => Promise.resolve(log.close()));
  const progress: Progress = { substrate: null, cluster: null, lines: null, database: null, source: null };
  using breakOff = new BreakOff();
  for (const { signal } of [breakOff, interruption]) signal.addEventListener('abort', () => given.activity.callOff(signal.reason), { once: true });
  let derivation: Derivation | null = null;
  try {
    const raw = await perform(options, { runId, directory, lifeline: guard.lifeline, log, spans, releasers, progress, breakOff });
    breakOff.signal.throwIfAborted();
    derivation = deriveReport(log.observations);
    assertHeld(derivation);
    const audited = derivation;
    options.say('the auditor judges the report');
    await spans.measure('audit and report', async () => {
      log.close();
      await deliver(options, { directory, report: audited.report as Report, observations: log.observations, raw, runLog: runLog.lines });
    });
    const releaseFailures = await spans.measure('clean-up', () => releasers.releaseAll());
    return { end: 'held', derivation, spans, releaseFailures };
  } catch (thrown) {
    given.activity.isGivenUp = true;
    const isCalledOff = breakOff.signal.aborted || interruption.signal.aborted;
    const root: unknown = breakOff.signal.aborted ? breakOff.signal.reason : await rootOf(thrown, options.interruption, progress.substrate);
    const error = toldAsFullDisk(root, [dirname(directory), dirname(options.reportPath)], { isAllHere: options.substrate.kind === 'embedded' });
    // what runs beside must not go on while the evidence is kept and the machine is cleaned
    breakOff.because(error);
    await settled(); // whoever waited has heard of it
    const failure = tellFailure(options, { runId, errors: [thrown, error], isCalledOff, error, source: progress.source });
    const kept = progress.substrate === null || interruption.hurry.aborted ? null : await keepEvidence(options, { runId, directory, error, spans, progress, failure, runLog });
    options.say('cleaning up');
    const releaseFailures = await spans.measure('clean-up', () => releasers.releaseAll());
    return { end: 'failed', error, failure: kept?.failure ?? failure, failureDirectory: kept?.directory ?? null, derivation, spans, releaseFailures };
  }
}

interface Progress extends Witnesses {
  substrate: StartedSubstrate | null;
  source: SourceTree | null;
}

interface Parts {
  readonly runId: string;
  readonly directory: string;
  readonly lifeline: Socket;
  readonly log: ObservationLog;
  readonly spans: SpanRecorder;
  readonly releasers: ReleaserStack;
  readonly progress: Progress;
  readonly breakOff: BreakOff;
}

async function perform(options: RunOptions, parts: Parts): Promise<RawEvidence> {
  const { runId, directory, lifeline, log, spans, releasers, progress, breakOff } = parts;
  const { interruption } = options;
  const say = (line: string): void => options.say(line);
  const recorder: Recorder = {
    record: (kind, subject, body, witness) => log.record(kind, witness ?? witnessOf(kind), subject, body),
  };
  const signal = AbortSignal.any([interruption.signal, breakOff.signal]);
  const source = await spans.measure('read the source tree', () => readSourceTree(signal));
  progress.source = source;
  const substrate = await spans.measure('start the substrate', () =>
    options.substrate.start({ runId, directory: join(directory, 'substrate'), lifeline, source, signal, releasers, spans, say }),
  );
  progress.substrate = substrate;
  substrate.died.catch((error: unknown) => breakOff.because(error));
  // what is loaded here takes a second of the processor, which a platform that boots does not mind
  const [{ runContractV2 }, { connectToCluster }] = await Promise.all([import('../contract/run-contract.ts'), import('../cluster/clients.ts')]);
  const watching = new AbortController();
  releasers.add('watches', () => Promise.resolve(watching.abort(new Error('the run has ended'))));
  const contract = await runContractV2({
    watching: AbortSignal.any([signal, watching.signal]),
    runId,
    breakOff: (error) => breakOff.because(error),
    directory,
    lifeline,
    source,
    substrate,
    signal,
    releasers,
    spans,
    recorder,
    say,
    connect: (access) => {
      progress.cluster = connectToCluster(access.kubeconfigPath);
      return connectToCluster(access.kubeconfigPath, signal);
    },
    meet: (witness) => void Object.assign(progress, witness),
  });
  const raw = contract.rawEvidence();
  watching.abort(new Error('the contract has been run'));
  log.record('run.finished', 'harness', 'run', { observations: log.observations.length });
  return raw;
}

interface Deliverables {
  readonly directory: string;
  readonly report: Report;
  readonly observations: readonly Observation[];
  readonly raw: RawEvidence;
  readonly runLog: readonly RunLogLine[];
}

/** The auditor first, then the bundle, then the report: whoever finds the report may rely on both. */
async function deliver({ reportPath, bundle, interruption: { signal } }: RunOptions, made: Deliverables): Promise<void> {
  const { directory, report } = made;
  const profile = report.fixture === RELEASE_FIXTURE ? 'release' : 'rehearsal';
  const observationsPath = join(directory, 'observations.jsonl');
  if (bundle === null) {
    const draft = join(directory, 'report.json');
    await writeReport(draft, report);
    await auditReport({ reportPath: draft, profile, evidence: [`--observations=${observationsPath}`], signal });
    return await writtenTo(reportPath, () => writeReport(reportPath, report));
  }
  const takeBack = await deliverBundle(bundle, { ...made, profile, observationLog: await readFile(observationsPath, 'utf8'), signal });
  try {
    await writtenTo(reportPath, () => writeReport(reportPath, report));
  } catch (error) {
    await takeBack();
    throw error;
  }
}

/** A false gate, that the platform could have proven, fails the run: nothing is written that an auditor would have to refuse. */
function assertHeld(derivation: Derivation): void {
  const failures = derivation.problems;
  if (failures.length > 0) {
    throw new HarnessError('QL3_GATES', `expected every gate and probe that this platform can prove to hold, got ${failures.length} that do not: ${failures.join('; ')}`);
  }
}

/** What is known of the failure without asking anybody. */
function tellFailure({ substrate, interruption, activity }: RunOptions, { runId, errors, isCalledOff, error, source }: { readonly runId: string; readonly errors: readonly unknown[]; readonly isCalledOff: boolean; readonly error: unknown; readonly source: SourceTree | null }): FailureIndex {
  return {
    schemaVersion: 1,
    kind: 'qinglong/worker-kubernetes-rollout-failure',
    runId,
    substrate: substrate.kind,
    source: source === null ? null : { revision: source.revision, clean: source.clean },
    failedAt: new Date().toISOString(),
    elapsedMs: Math.round(activity.elapsedMs),
    interruptedBy: interruption.interruptedBy,
    exitCode: exitCodeOf(error),
    ...accountOf(activity, { errors, isCalledOff }),
    lines: null,
    causes: tellError(error).map(({ code, message }) => ({ code, message: withoutSecrets(message) })),
    files: [],
    missing: [],
  };
}

interface Kept {
  readonly directory: string;
  readonly failure: FailureIndex;
}

/** However the collecting goes, the cleaning comes: it has a deadline, and a second interruption ends it. What was kept until then stays. */
async function keepEvidence(
  options: RunOptions,
  known: { readonly runId: string; readonly directory: string; readonly error: unknown; readonly spans: SpanRecorder; readonly progress: Progress; readonly failure: FailureIndex; readonly runLog: RunLog },
): Promise<Kept | null> {
  options.say('keeping the evidence of the failure');
  const enough = AbortSignal.any([options.interruption.hurry, AbortSignal.timeout(EVIDENCE_DEADLINE_MS)]);
  let folder: FailureFolder;
  try {
    folder = new FailureFolder(`${options.reportPath}.failure-${known.runId.slice(0, 8)}`);
  } catch (error) {
    options.say(`the evidence of the failure could not be kept: ${reasonBeside(options.reportPath, error)}`);
    return null;
  }
  try {
    const collecting = collectFailureEvidence(folder, {
      ...known.progress,
      observationsPath: join(known.directory, 'observations.jsonl'),
      namespaces: RUN_NAMESPACES,
      spans: known.spans.all,
      runLog: known.runLog.lines,
      error: known.error,
      signal: enough,
    });
    collecting.catch(() => undefined);
    await Promise.race([collecting, aborted(enough)]);
  } catch (error) {
    const reason = reasonBeside(options.reportPath, error);
    folder.miss('the rest', reason);
    options.say(`the evidence of the failure could not be kept whole in ${folder.path}: ${reason}`);
  }
  return { directory: folder.path, failure: indexed(folder, known.failure, options) };
}

function indexed(folder: FailureFolder, failure: FailureIndex, options: RunOptions): FailureIndex {
  try {
    return writeFailureIndex(folder, failure);
  } catch (error) {
    options.say(`the index of the failure folder could not be written: ${reasonBeside(options.reportPath, error)}`);
    return failure;
  }
}

function reasonBeside(reportPath: string, error: unknown): string {
  return describeError(toldAsFullDisk(error, [dirname(reportPath)])).split('\n')[0] ?? '';
}

/** When the platform dies, whoever talks to it may fail before its death is known; what is told is the death. */
async function rootOf(thrown: unknown, interruption: Interruption, substrate: StartedSubstrate | null): Promise<unknown> {
  if (interruption.signal.aborted) return isCalledOffBy(interruption.signal, thrown) ? interruption.signal.reason : thrown;
  if (substrate === null) return thrown;
  const unheard = new AbortController();
  try {
    return await Promise.race([substrate.died.catch((death: unknown) => death), delay(seemsLost(thrown) ? DEATH_OF_THE_LOST_KNOWN_MS : DEATH_KNOWN_MS, thrown, { signal: AbortSignal.any([unheard.signal, interruption.signal]) }).catch(() => thrown)]);
  } finally {
    unheard.abort();
  }
}

/** Whether it says no more than that the signal came. What had failed before is told as what it is. */
function isCalledOffBy({ reason }: AbortSignal, thrown: unknown): boolean {
  for (let current = thrown; current instanceof Error; current = current.cause) if (current === reason || current.name === 'AbortError') return true;
  return false;
}

/** Whether somebody stopped answering, by the code of the error or of one of its causes. */
function seemsLost(thrown: unknown): boolean {
  for (let current = thrown; typeof current === 'object' && current !== null; current = (current as { cause?: unknown }).cause) {
    const { code, syscall, message } = current as { code?: unknown; syscall?: unknown; message?: unknown };
    // whose socket is gone, or refuses, has gone or is going
    if (syscall === 'connect') return true;
    // PostgreSQL's client has no code for a server that hangs up
    if (typeof message === 'string' && message.startsWith('Connection terminated')) return true;
    if (typeof code === 'string' && /^(QL3_DATABASE_UNAVAILABLE|ECONN|EPIPE|UND_ERR_|57P0[1-3])/.test(code)) return true;
  }
  return false;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
