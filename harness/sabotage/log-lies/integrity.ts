import type { Observation } from '../../../evidence/observation.ts';
import { find, renumber } from '../log-edit.ts';
import { textOf, type LogLie } from '../log-lie.ts';
import { isTargetDeploymentReplace, productPods } from '../log-cast.ts';

type Log = readonly Observation[];

function place(log: Log, matches: (before: Observation, after: Observation) => boolean): number {
  const index = log.findIndex((observation, at) => at > 0 && matches(log[at - 1] as Observation, observation));
  if (index === -1) throw new Error('the lie finds no place in this log');
  return index;
}

function swap(log: Log, index: number): Observation[] {
  return log.toSpliced(index - 1, 2, log[index] as Observation, log[index - 1] as Observation);
}

/** About the log as a record: its numbers, its clocks, its witnesses, its frame. */
export const INTEGRITY_LIES: readonly LogLie[] = [
  { name: 'observation-dropped', pretends: 'nothing is missing; one observation is, and its number with it', caughtBy: ['BUNDLE_INTEGRITY'], tell: ({ observations }) => ({ log: observations.toSpliced(40, 1) }) },
  { name: 'observation-told-twice', pretends: 'each was recorded once; one line stands there twice', caughtBy: ['BUNDLE_INTEGRITY'], tell: ({ observations }) => ({ log: observations.toSpliced(40, 0, observations[40] as Observation) }) },
  { name: 'observations-renumbered', pretends: 'the order of the numbers; two were exchanged', caughtBy: ['BUNDLE_INTEGRITY'], tell: ({ observations }) => ({ log: swap(observations, 40) }) },
  {
    name: 'observations-reordered',
    pretends: 'the order of the lines; two were exchanged, and numbered as if they had not been',
    caughtBy: ['BUNDLE_INTEGRITY'],
    tell: ({ observations }) => ({ log: renumber(swap(observations, place(observations, (before, after) => before.offsetMs < after.offsetMs))) }),
  },
  { name: 'log-cut-off', pretends: 'the log is whole; its last bytes are missing', caughtBy: ['BUNDLE_INTEGRITY'], tell: ({ observations }) => ({ log: textOf(observations).slice(0, -20) }) },
  {
    name: 'key-of-its-own',
    pretends: 'an observation of the catalogue; it says more than it may',
    caughtBy: ['BUNDLE_INTEGRITY'],
    tell: ({ observations }) => ({ log: observations.map((each) => (each.kind === 'run.started' ? ({ ...each, body: { ...each.body, approved: true } } as Observation) : each)) }),
  },
  {
    name: 'witness-exchanged',
    pretends: 'the API server’s own log; the harness tells it',
    caughtBy: ['BUNDLE_INTEGRITY'],
    tell: ({ observations }) => ({ log: observations.map((each) => (each.kind === 'api.audit' ? { ...each, witness: 'harness' as const } : each)) }),
  },
  {
    name: 'wall-clock-set-back',
    pretends: 'one clock; an observation is dated an hour before its neighbours',
    caughtBy: ['BUNDLE_INTEGRITY'],
    tell: ({ observations }) => ({ log: observations.map((each, index) => (index === 60 ? { ...each, at: new Date(Date.parse(each.at) - 3_600_000).toISOString() } : each)) }),
  },
  { name: 'end-cut-away', pretends: 'the run went to its end; the end is missing', caughtBy: ['BUNDLE_INTEGRITY'], tell: ({ observations }) => ({ log: observations.slice(0, -1) }) },
  {
    name: 'two-runs-in-one-log',
    pretends: 'one run; a second one is written behind it',
    caughtBy: ['BUNDLE_INTEGRITY'],
    tell: ({ observations, another }) => ({ log: renumber([...observations, ...another]) }),
  },
  {
    name: 'secret-in-the-log',
    pretends: 'the log is free of secrets; a Secret stands in it with its data',
    caughtBy: ['BUNDLE_INTEGRITY'],
    tell: ({ observations }) => {
      const { seq } = find(observations, 'api.watched', ({ object }) => object.kind === 'Secret');
      return { log: observations.map((each) => (each.seq === seq && each.kind === 'api.watched' ? { ...each, body: { ...each.body, object: { ...each.body.object, data: { 'credential-token': 'YWJj' } } } } : each)) };
    },
  },
  {
    name: 'line-of-a-process-dropped',
    pretends: 'the whole output of a Worker; one line is missing, and nobody’s number with it',
    caughtBy: ['BUNDLE_INTEGRITY'],
    tell: ({ observations }) => {
      const lost = find(observations, 'process.line', ({ podUid, index }) => podUid === productPods(observations)[1] && index === 1);
      return { log: renumber(observations.filter(({ seq }) => seq !== lost.seq)) };
    },
  },
  {
    name: 'line-of-the-ingress-dropped',
    pretends: 'the whole output of the ingress; one line is missing',
    caughtBy: ['BUNDLE_INTEGRITY'],
    tell: ({ observations }) => {
      const lost = find(observations, 'ingress.line', ({ line, index }) => index > 0 && line['event'] === 'tls_handshake');
      return { log: renumber(observations.filter(({ seq }) => seq !== lost.seq)) };
    },
  },
  {
    name: 'audit-event-told-twice',
    pretends: 'each request once; one event of the audit log was recorded again',
    caughtBy: ['BUNDLE_INTEGRITY'],
    tell: ({ observations }) => {
      const event = find(observations, 'api.audit', ({ verb, resource }) => verb === 'get' && resource === 'secrets');
      return { log: renumber(observations.toSpliced(event.seq, 0, event)) };
    },
  },
  {
    name: 'line-of-a-pod-that-nobody-saw',
    pretends: 'Pods of the cluster print lines; one of them was never there',
    caughtBy: ['BUNDLE_INTEGRITY'],
    tell: ({ observations }) => {
      const line = find(observations, 'process.line', ({ index }) => index === 0);
      return { log: renumber(observations.toSpliced(line.seq, 0, { ...line, body: { ...line.body, podUid: 'c0ffee00-0000-4000-8000-000000000000', podName: 'ql3-worker-live-ghost' } })) };
    },
  },
  {
    name: 'event-from-the-future',
    pretends: 'what was recorded had happened; an audit event is later than its own recording',
    caughtBy: ['BUNDLE_INTEGRITY'],
    tell: ({ observations }) => ({ log: observations.map((each) => (each.kind === 'api.audit' && each.body.verb === 'get' ? { ...each, body: { ...each.body, receivedAt: '2031-01-01T00:00:00.000000Z', completedAt: '2031-01-01T00:00:01.000000Z' } } : each)) }),
  },
  {
    name: 'event-of-another-run',
    pretends: 'the audit log of this run; an event of an earlier one is among it',
    caughtBy: ['DERIVATION', 'gates.tokenRequestSessionDisposed'],
    tell: ({ observations, another }) => {
      const foreign = find(another, 'api.audit', isTargetDeploymentReplace);
      const own = find(observations, 'api.audit', isTargetDeploymentReplace);
      return { log: renumber(observations.toSpliced(own.seq, 0, { ...own, body: foreign.body })) };
    },
  },
];
