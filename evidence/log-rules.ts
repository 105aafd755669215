import { CLOCK_BOUND_MS, CLOCK_SLEW, CLOCKS_APART_MS } from './clock-bound.ts';
import { instantMs } from './instants.ts';
import { STEP_IDS, WITNESS_OF, type Observation, type StepId } from './observation.ts';
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

function* orderFaults(observations: readonly Observation[]): Iterable<LogFault> {
  for (let index = 1; index < observations.length; index += 1) {
    const [before, after] = [observations[index - 1] as Observation, observations[index] as Observation];
    const because = [before.seq, after.seq];
    if (after.offsetMs < before.offsetMs) yield { rule: 'the monotonic clock does not run backwards', because };
    const backwardsMs = instantMs(before.at) - instantMs(after.at);
    if (!(backwardsMs <= CLOCK_BOUND_MS)) yield { rule: `the wall clock does not run backwards by more than ${CLOCK_BOUND_MS} ms`, because };
  }
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

function* frameFaults(observations: readonly Observation[]): Iterable<LogFault> {
  const started = observations.filter(({ kind }) => kind === 'run.started');
  const finished = observations.filter((observation) => observation.kind === 'run.finished');
  const last = observations.at(-1);
  if (started.length !== 1) yield { rule: 'the log has one run.started', because: started.map(({ seq }) => seq) };
  if (finished.length !== 1 || last?.kind !== 'run.finished') yield { rule: 'the log ends with its only run.finished', because: finished.map(({ seq }) => seq) };
  else if (last.body.observations !== last.seq - 1) yield { rule: `run.finished counts the ${last.seq - 1} observations before it, not ${last.body.observations}`, because: [last.seq] };
}

/** Beside which others a step may begin: it needs nothing of what they still have to do, nor they of it. */
const BESIDE: Readonly<Partial<Record<StepId, readonly StepId[]>>> = {
  images: ['boot'],
  objects: ['boot', 'images'],
  ingress: ['identity-b'],
  probes: ['product-identity-b'],
  'scale-to-zero': ['probes'],
};

/** The contract's own steps: each once, begun in their order, one after another but for those that may overlap. What else goes on beside them is no step. */
function stepFaults(observations: readonly Observation[]): LogFault[] {
  const going = new Set<StepId>();
  let begun = 0;
  const fault = (expected: string, got: string, because: readonly number[]): LogFault[] => [{ rule: `the steps of the contract follow each other, each once; expected ${expected}, got ${got}`, because }];
  for (const each of observations) {
    if (each.kind !== 'run.step') continue;
    const { step, state } = each.body;
    const next = STEP_IDS[begun];
    const mayBegin = next !== undefined && [...going].every((other) => BESIDE[next]?.includes(other));
    const expected = [...[...going].map((other) => `${other} finished`), ...(mayBegin ? [`${next} started`] : [])].join(' or ') || 'nothing';
    const isExpected = state === 'finished' ? going.delete(step) : mayBegin && step === next;
    if (!isExpected) return fault(expected, `${step} ${state}`, [each.seq]);
    if (state === 'started') {
      going.add(step);
      begun += 1;
    }
  }
  const missing = [...[...going].map((step) => `${step} finished`), ...STEP_IDS.slice(begun, begun + 1).map((step) => `${step} started`)];
  return missing.length === 0 ? [] : fault(missing.join(' and '), 'nothing', []);
}
