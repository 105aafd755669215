import { CLOCK_BOUND_MS, CLOCK_SLEW, CLOCKS_APART_MS } from './clock-bound.ts';
import { instantMs } from './instants.ts';
import { STEP_IDS, WITNESS_OF, type Observation } from './observation.ts';
import { witnessRuleFaults } from './witness-rules.ts';

export interface LogFault {
  readonly rule: string;
  readonly because: readonly number[];
}

/** Whether the log can be one writer's record of one run: no gap, no foreign witness, no time that runs backwards, one start and one end, and witnesses that do not contradict each other. */
export function logFaults(observations: readonly Observation[]): readonly LogFault[] {
  return [...sequenceFaults(observations), ...orderFaults(observations), ...clockFaults(observations), ...witnessFaults(observations), ...frameFaults(observations), ...stepFaults(observations), ...witnessRuleFaults(observations)];
}

function sequenceFaults(observations: readonly Observation[]): LogFault[] {
  const wrong = observations.findIndex(({ seq }, index) => seq !== index + 1);
  return wrong === -1 ? [] : [{ rule: `sequence numbers rise from 1 without a gap; at place ${wrong + 1} stands ${observations[wrong]?.seq}`, because: [observations[wrong]?.seq ?? 0] }];
}

function orderFaults(observations: readonly Observation[]): LogFault[] {
  const faults: LogFault[] = [];
  for (let index = 1; index < observations.length; index += 1) {
    const [before, after] = [observations[index - 1] as Observation, observations[index] as Observation];
    const because = [before.seq, after.seq];
    if (after.offsetMs < before.offsetMs) faults.push({ rule: 'the monotonic clock does not run backwards', because });
    const backwardsMs = instantMs(before.at) - instantMs(after.at);
    if (!(backwardsMs <= CLOCK_BOUND_MS)) faults.push({ rule: `the wall clock does not run backwards by more than ${CLOCK_BOUND_MS} ms`, because });
  }
  return faults;
}

/** Both clocks were read for each observation, so that moving an old run's end to today would have to move all of it. */
function clockFaults(observations: readonly Observation[]): LogFault[] {
  const [first] = observations;
  if (first === undefined) return [];
  const startedAtMs = instantMs(first.at);
  const apart = observations.find(({ at, offsetMs }) => {
    const elapsedMs = offsetMs - first.offsetMs;
    return !(Math.abs(instantMs(at) - startedAtMs - elapsedMs) <= CLOCKS_APART_MS + CLOCK_SLEW * elapsedMs);
  });
  return apart === undefined ? [] : [{ rule: `wall clock and monotonic clock tell the same time between two observations, but for ${CLOCKS_APART_MS} ms and ${CLOCK_SLEW * 1_000_000} parts in a million`, because: [first.seq, apart.seq] }];
}

function witnessFaults(observations: readonly Observation[]): LogFault[] {
  return observations
    .filter(({ kind, witness }) => !WITNESS_OF[kind]?.includes(witness))
    .map(({ seq, kind, witness }) => ({ rule: `${kind} is not told by ${witness}`, because: [seq] }));
}

function frameFaults(observations: readonly Observation[]): LogFault[] {
  const started = observations.filter(({ kind }) => kind === 'run.started');
  const finished = observations.filter((observation) => observation.kind === 'run.finished');
  const last = observations.at(-1);
  const faults: LogFault[] = [];
  if (started.length !== 1) faults.push({ rule: 'the log has one run.started', because: started.map(({ seq }) => seq) });
  if (finished.length !== 1 || last?.kind !== 'run.finished') faults.push({ rule: 'the log ends with its only run.finished', because: finished.map(({ seq }) => seq) });
  else if (last.body.observations !== last.seq - 1) faults.push({ rule: `run.finished counts the ${last.seq - 1} observations before it, not ${last.body.observations}`, because: [last.seq] });
  return faults;
}

/** The contract's own steps: each once, one after another. What goes on beside them is no step. */
function stepFaults(observations: readonly Observation[]): LogFault[] {
  const told = observations.flatMap((each) => (each.kind === 'run.step' ? [{ seq: each.seq, ...each.body }] : []));
  const expected = STEP_IDS.flatMap((step) => (['started', 'finished'] as const).map((state) => ({ step, state })));
  const wrong = expected.findIndex(({ step, state }, index) => told[index]?.step !== step || told[index].state !== state);
  const place = wrong !== -1 ? wrong : expected.length;
  if (wrong === -1 && told.length === expected.length) return [];
  const [wanted, got] = [expected[place], told[place]].map((each) => (each === undefined ? 'nothing' : `${each.step} ${each.state}`));
  return [{ rule: `the steps of the contract follow each other, each once; expected ${wanted}, got ${got}`, because: told.slice(place, place + 1).map(({ seq }) => seq) }];
}
