import { ObservedRun } from '../../../evidence/facts/observed-run.ts';
import type { Observation, ProbeId } from '../../../evidence/observation.ts';
import type { State } from '../explanation.ts';
import { approvals } from './approvals.ts';
import { RunClock } from './clock.ts';
import { credentials } from './credentials.ts';
import type { Timeline } from './mark.ts';
import { deployments, secrets, stages } from './objects.ts';
import { otherPods, workers } from './pods.ts';
import { probes } from './probes.ts';
import { proofs } from './proofs.ts';
import { apiCalls } from './requests.ts';
import { sessions } from './sessions.ts';
import { volume } from './volume.ts';

/** What is drawn of a run: lanes in the order in which one thing leads to the next, and the orders that gates rest on. */
export function timelineOf(observations: readonly Observation[], probeStates: Readonly<Record<ProbeId, State>>): Timeline {
  const run = new ObservedRun(observations);
  const clock = new RunClock(observations);
  const all = [approvals(run, clock), credentials(run, clock), apiCalls(run, clock), secrets(run, clock), stages(run, clock), deployments(run, clock), workers(run, clock), otherPods(run, clock), volume(run, clock), sessions(run, clock), probes(run, clock, probeStates)];
  const lanes = all.map((lane) => ({ ...lane, rows: lane.rows.map((row) => row.filter(({ fromMs }) => fromMs <= clock.endMs)).filter((row) => row.length > 0) })).filter(({ rows }) => rows.length > 0);
  return { steps: clock.steps, lanes, proofs: proofs(run, lanes), endMs: clock.endMs };
}
