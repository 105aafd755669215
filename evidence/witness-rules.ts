import { CLOCK_BOUND_MS, KUBERNETES_TIME_STEP_MS } from './clock-bound.ts';
import { runtimeTells, toldContainers } from './facts/containers.ts';
import { numberAt, textAt } from './facts/fields.ts';
import { groupBy } from './facts/group-by.ts';
import { ObservedRun } from './facts/observed-run.ts';
import { GUESSED_END } from './facts/pods.ts';
import { settledUntilMs } from './facts/settled.ts';
import { tellsOfTokens } from './facts/token-lifetimes.ts';
import { placeOf, unrefusedWrites } from './facts/unrefused-writes.ts';
import { DELIVERY, JOB_ISSUER, PROBE_DELIVERY } from './identities.ts';
import { instantMs } from './instants.ts';
import { lifeRuleFaults } from './life-rules.ts';
import type { LogFault } from './log-rules.ts';
import type { Observation, ObservationOf } from './observation.ts';

/**
 * Whether the witnesses can have spoken of one and the same run: nothing is told twice, nothing is missing between two lines of one output, nothing comes from a Pod that nobody saw,
 * what the watch showed is each object's life and has its requests in the API server's log, and everything happened between the first observation and its own recording.
 */
export function witnessRuleFaults(observations: readonly Observation[]): readonly LogFault[] {
  const run = new ObservedRun(observations);
  return [...repeatedEvents(run), ...brokenOutputs(observations), ...unseenPods(observations), ...brokenLives(run), ...lifeRuleFaults(run), ...unloggedChanges(run), ...unaskedTokens(run), ...unnamedTokens(run), ...otherExits(run), ...timesOutsideTheRun(observations)];
}

type Faults = Iterable<LogFault>;

function* repeatedEvents(run: ObservedRun): Faults {
  for (const [key, [first, ...again]] of groupBy(run.of('api.audit'), ({ body }) => `${body.auditId}/${body.stage}`)) {
    for (const { seq } of again) yield { rule: `the API server logs each stage of a request once; ${key} stands there twice`, because: [first?.seq ?? 0, seq] };
  }
}

/** Lines carry the place that they had in their container's output. */
function* brokenOutputs(observations: readonly Observation[]): Faults {
  const next = new Map<string, number>();
  for (const { seq, kind, body } of observations) {
    if (kind !== 'process.line' && kind !== 'ingress.line') continue;
    const output = kind === 'process.line' ? `${body.podUid}/${body.container}` : `${body.podUid}/control`;
    const expected = next.get(output) ?? 0;
    if (body.index !== expected) yield { rule: `the lines of one output follow each other; after ${expected} of ${output} comes the one with index ${body.index}`, because: [seq] };
    next.set(output, body.index + 1);
  }
}

function* unseenPods(observations: readonly Observation[]): Faults {
  const seen = new Set<string>();
  for (const { seq, kind, body } of observations) {
    if (kind === 'api.watched' && body.object.kind === 'Pod') seen.add(body.object.metadata.uid);
    if ((kind === 'process.line' || kind === 'ingress.line') && !seen.has(body.podUid)) yield { rule: `a line is printed by a Pod that the watch has shown, not by ${body.podUid}`, because: [seq] };
  }
}

type Watched = ObservationOf<'api.watched'>;

/** The watch shows an object from its appearance to its end, and each state under a later resourceVersion: a watch that was made anew as well, but for the end that it concludes from a list. */
function* brokenLives(run: ObservedRun): Faults {
  const last = new Map<string, Watched>();
  for (const observation of run.of('api.watched')) {
    const { seq, body: { type, object } } = observation;
    const before = last.get(object.metadata.uid);
    last.set(object.metadata.uid, observation);
    const broken = lifeBreak(before?.body, observation.body);
    if (broken !== null) yield { rule: `the watch shows an object added, then changed, then gone; ${object.kind} ${object.metadata.name} is ${type.toLowerCase()} ${broken}`, because: before === undefined ? [seq] : [before.seq, seq] };
  }
}

function lifeBreak(before: Watched['body'] | undefined, { type, object }: Watched['body']): string | null {
  if (before === undefined) return type === 'ADDED' ? null : 'before it was added';
  if (type === 'ADDED' || before.type === 'DELETED') return `after it was ${before.type.toLowerCase()}`;
  const [earlier, later] = [before.object.metadata.resourceVersion, object.metadata.resourceVersion];
  if (earlier === later) return type === 'DELETED' ? null : `at the resourceVersion ${later} that it had`;
  return isOlder(later, earlier) ? `at resourceVersion ${later}, after ${earlier}` : null;
}

/** An API server may number its states as it likes; only whole numbers have an order. */
function isOlder(left: string, right: string): boolean {
  return /^\d+$/.test(left) && /^\d+$/.test(right) && BigInt(left) < BigInt(right);
}

/** A Secret changes by a write, and what a Deployment specifies as well, which its generation counts; each is logged, whoever made it. */
function* unloggedChanges(run: ObservedRun): Faults {
  const writes = unrefusedWrites(run).filter(({ event: { verb, subresource } }) => (verb === 'update' || verb === 'patch') && (subresource === null || subresource === 'scale'));
  const [ofObject, overState] = [groupBy(writes, ({ named }) => named), groupBy(writes, ({ named, event }) => `${named} ${event.resourceVersion}`)];
  const watched = run.of('api.watched').filter(({ body: { type, object: { kind, metadata } } }) => type !== 'DELETED' && (kind === 'Secret' || kind === 'Deployment') && metadata.deletionTimestamp === undefined);
  for (const states of groupBy(watched, ({ body }) => body.object.metadata.uid).values()) {
    const objects = states.map(({ body }) => body.object);
    const [named = ''] = objects.map((object) => placeOf(object).named);
    const ages = objects.map(({ kind, metadata }, index) => (kind === 'Secret' ? index : (metadata.generation ?? 0)));
    const changes = (ages.at(-1) ?? 0) - (ages[0] ?? 0);
    // over a state that was followed by one of the same generation, nothing was specified
    const idle = new Set(objects.filter((_, index) => ages[index] === ages[index + 1]).map(({ metadata }) => `${named} ${metadata.resourceVersion}`));
    const logged = (ofObject.get(named)?.length ?? 0) - [...idle].reduce((sum, state) => sum + (overState.get(state)?.length ?? 0), 0);
    if (changes > logged) yield { rule: `what the watch shows to change was written; ${named} has changed ${changes} times, and the API server has logged ${logged} writes`, because: states.map(({ seq }) => seq) };
  }
}

/** Where the API server names the tokens, an account used no more of them than somebody obtained for it. */
function* unaskedTokens(run: ObservedRun): Faults {
  for (const account of [DELIVERY, JOB_ISSUER, PROBE_DELIVERY]) {
    const used = groupBy(run.of('api.audit').filter(({ body }) => body.user === account && body.credentialId !== null), ({ body }) => body.credentialId);
    const obtained = unrefusedWrites(run).filter(({ ending, event }) => event.subresource === 'token' && `system:serviceaccount:${event.namespace}:${event.name}` === account && ending === 'carried-out').length;
    if (used.size > obtained) yield { rule: `a token is asked for before it is used; ${account} has used ${used.size}, and the API server has logged ${obtained} requests for one`, because: [...used.values()].map(([first]) => first?.seq ?? 0) };
  }
}

/** Kubernetes 1.34 names the token of each request under one, which the accounts of a run have; those of the cluster's own parts may be made otherwise. */
function* unnamedTokens(run: ObservedRun): Faults {
  const unnamed = run.of('api.audit').filter(({ body: { user, credentialId } }) => credentialId === null && /^system:serviceaccount:(?!kube-)/.test(user));
  if (tellsOfTokens(run) && unnamed.length > 0) yield { rule: 'an API server of this version names the token of each request by an account of the run', because: unnamed.map(({ seq }) => seq) };
}

/** The kubelet tells of a container's end what the runtime below it saw, in whole seconds. When it found no container any more, it guesses; one that could not be started has no end. */
function otherExits(run: ObservedRun): LogFault[] {
  const exits = new Map(run.of('container.exited').map((exit) => [exit.body.containerId, exit]));
  return toldContainers(run).flatMap(({ told, id, terminated }) => {
    if (terminated === undefined || textAt(terminated, 'reason') === GUESSED_END) return [];
    const [exit, { name }] = [exits.get(id), told.body.object.metadata];
    const mustBeTold = (exits.size > 0 || runtimeTells(run)) && id !== '' && instantMs(textAt(terminated, 'startedAt')) > 0 && instantMs(told.at) <= settledUntilMs(run);
    if (exit === undefined) return mustBeTold ? [{ rule: `the runtime saw each container end that a kubelet says has ended, and not one of Pod ${name}`, because: [told.seq] }] : [];
    const apartMs = Math.abs(instantMs(exit.body.exitedAt) - instantMs(textAt(terminated, 'finishedAt')));
    if (exit.body.exitCode === numberAt(terminated, 'exitCode') && !(apartMs > 2 * KUBERNETES_TIME_STEP_MS)) return [];
    return [{ rule: `kubelet and runtime tell the same end of a container of Pod ${name}`, because: [told.seq, exit.seq] }];
  });
}

interface Dated {
  readonly what: string;
  readonly atMs: number;
  /** How far the witness's clock may be off, rounding included. */
  readonly stepMs: number;
}

function timesOutsideTheRun(observations: readonly Observation[]): LogFault[] {
  const beginMs = instantMs(observations[0]?.at);
  return observations.flatMap((observation) => {
    const recordedMs = instantMs(observation.at);
    const wrong = datesOf(observation).filter(({ atMs, stepMs }) => !(atMs >= beginMs - stepMs && atMs <= recordedMs + CLOCK_BOUND_MS));
    return wrong.slice(0, 1).map(({ what, atMs }) => ({ rule: `what is recorded happened within the run and before its recording; ${what} is ${describeInstant(atMs)}`, because: [observation.seq] }));
  });
}

function describeInstant(atMs: number): string {
  return Number.isNaN(atMs) ? 'no instant' : new Date(atMs).toISOString();
}

/** Instants that the witness itself gives to what happened. */
function datesOf({ kind, body }: Observation): readonly Dated[] {
  const exact = (what: string, text: unknown): Dated => ({ what, atMs: instantMs(text), stepMs: CLOCK_BOUND_MS });
  switch (kind) {
    case 'api.audit':
      return [exact('the request’s arrival', body.receivedAt), exact('the request’s answer', body.completedAt)];
    case 'api.watched': {
      const { creationTimestamp } = body.object.metadata;
      return creationTimestamp === undefined ? [] : [{ what: 'the object’s creation', atMs: instantMs(creationTimestamp), stepMs: KUBERNETES_TIME_STEP_MS + CLOCK_BOUND_MS }];
    }
    case 'action.token-session':
    case 'action.recovery-session':
    case 'probe.result':
      return [exact('its start', body.startedAt), exact('its end', body.endedAt)];
    case 'ingress.line':
      return body.line['at'] === undefined ? [] : [exact('the line', body.line['at'])];
    case 'database.rows':
      return body.rows.flatMap((row) => Object.entries(row).filter(([column, value]) => EVENT_COLUMN.test(column) && value !== null).map(([column, value]) => ({ what: `${body.table}.${column}`, atMs: Number(value), stepMs: CLOCK_BOUND_MS })));
    default:
      return [];
  }
}

/** Columns that say when something happened; others say until when something holds. */
const EVENT_COLUMN = /^(?:\w+_)?(?:recorded|occurred|consumed|started|completed|committed|published|decided|requested|planned)_at_ms$/;
