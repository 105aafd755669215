import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deriveReport } from '../../evidence/derive.ts';
import { GATE_NAMES } from '../../evidence/gate-names.ts';
import type { Observation, StepId } from '../../evidence/observation.ts';
import { STEPS } from './step-catalogue.ts';
import { step } from './step.ts';
import { recordedObservations } from './testing/recorded-rehearsal.ts';

const observations = recordedObservations();
const marks = observations.filter((each): each is Extract<Observation, { kind: 'run.step' }> => each.kind === 'run.step');
const seqOf = (id: StepId, state: 'started' | 'finished'): number => marks.find(({ body }) => body.step === id && body.state === state)?.seq ?? Number.NaN;

describe('what is said of the steps beforehand', () => {
  it('is of every step, in the order in which a recorded rehearsal began them', () => {
    assert.deepEqual(Object.keys(STEPS), marks.filter(({ body }) => body.state === 'started').map(({ body }) => body.step));
  });

  it('names only gates that something seen during the step was needed for', () => {
    const { gates } = deriveReport(observations);
    const unfounded = Object.entries(STEPS).flatMap(([id, { gates: named }]) =>
      named.filter((gate) => !gates[gate].because.some((seq) => seqOf(id as StepId, 'started') <= seq && seq <= seqOf(id as StepId, 'finished'))).map((gate) => `${id}: ${gate}`),
    );
    assert.deepEqual(unfounded, []);
  });

  it('leaves no gate out', () => {
    const named = new Set(Object.values(STEPS).flatMap(({ gates }) => gates));
    assert.deepEqual(GATE_NAMES.filter((gate) => gate !== 'passed' && !named.has(gate)), []);
  });

  it('gives every step more time than the recorded one took', () => {
    const tooLong = marks.flatMap(({ body, offsetMs }) => {
      const { deadlineMs } = STEPS[body.step];
      const startedMs = marks.find((other) => other.body.step === body.step && other.body.state === 'started')?.offsetMs ?? 0;
      return deadlineMs !== null && offsetMs - startedMs >= deadlineMs / 2 ? [body.step] : [];
    });
    assert.deepEqual(tooLong, []);
  });
});

it('a step that goes on for longer than it may ends the run, by its name', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const endless = step(
    { recorder: { record: () => 1 }, spans: { measure: async (_name, work) => await work() }, signal: new AbortController().signal, say: () => undefined },
    'collect',
    () => new Promise(() => undefined),
  );
  context.mock.timers.tick(STEPS.collect.deadlineMs ?? 0);
  await assert.rejects(endless, (error: Error & { code?: string }) => error.code === 'QL3_WAIT_TIMEOUT' && error.message.includes('collect'));
});
