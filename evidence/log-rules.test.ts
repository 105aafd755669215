import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logFaults } from './log-rules.ts';
import type { Observation, StepId } from './observation.ts';
import { completeRun } from './testing/complete-run.ts';

type Mark = `${StepId} ${'started' | 'finished'}`;

const RUN = completeRun({ platform: 'embedded', treeClean: true });
const markOf = (observation: Observation | undefined): Mark | null => (observation?.kind === 'run.step' ? `${observation.body.step} ${observation.body.state}` : null);

/** The run with its step marks rearranged; everything else stays where it was told. */
function withMarks(change: (marks: Mark[]) => Mark[]): readonly Observation[] {
  const places = RUN.filter(({ kind }) => kind === 'run.step');
  const marks = change(places.flatMap((each) => markOf(each) ?? []));
  const told = places.map((place, index): Observation | null => {
    const [step, state] = (marks[index] ?? '').split(' ') as [StepId, 'started' | 'finished'];
    return marks[index] === undefined || place.kind !== 'run.step' ? null : { ...place, subject: step, body: { step, state } };
  });
  const changed = RUN.flatMap((each) => (each.kind === 'run.step' ? (told[places.indexOf(each)] ?? []) : [each]));
  return changed.map((each, index) => ({ ...each, seq: index + 1 }));
}

const moved = (mark: Mark, before: Mark) => (marks: Mark[]): Mark[] => marks.flatMap((each) => (each === mark ? [] : each === before ? [mark, each] : [each]));
const stepFaultsOf = (observations: readonly Observation[]): string[] => logFaults(observations).map(({ rule }) => rule).filter((rule) => rule.includes('steps of the contract'));

const OVERLAPS: readonly (readonly [later: StepId, earlier: StepId])[] = [['images', 'boot'], ['objects', 'images'], ['ingress', 'identity-b'], ['probes', 'product-identity-b'], ['scale-to-zero', 'probes']];

describe('the steps of a run', () => {
  it('follow each other', () => assert.deepEqual(stepFaultsOf(withMarks((marks) => marks)), []));

  for (const [later, earlier] of OVERLAPS) {
    it(`may overlap where neither needs the other: ${earlier} and ${later}, whichever ends first`, () => {
      const overlapping = moved(`${later} started`, `${earlier} finished`);
      assert.deepEqual(stepFaultsOf(withMarks(overlapping)), []);
      assert.deepEqual(stepFaultsOf(withMarks((marks) => moved(`${later} finished`, `${earlier} finished`)(overlapping(marks)))), []);
    });
  }

  const LIES: Readonly<Record<string, readonly [(marks: Mark[]) => Mark[], RegExp]>> = {
    'one that needs the other begins before that has ended': [moved('session-1 started', 'ingress finished'), /expected ingress finished, got session-1 started/],
    'a rotation begins in the middle of another': [moved('generation-2 started', 'generation-1 finished'), /expected generation-1 finished, got generation-2 started/],
    'three go on at once': [(marks) => moved('session-1 started', 'identity-b finished')(moved('ingress started', 'identity-b finished')(marks)), /expected identity-b finished or ingress finished, got session-1 started/],
    'one is left out': [(marks) => marks.filter((mark) => !mark.startsWith('forced-pod-loss ')), /expected forced-pod-loss started, got generation-3 started/],
    'one never ends': [(marks) => marks.filter((mark) => mark !== 'collect finished'), /expected collect finished, got nothing/],
    'one goes on twice': [(marks) => marks.flatMap((mark): Mark[] => (mark === 'generation-2 finished' ? [mark, mark] : [mark])).slice(0, -1), /expected forced-pod-loss started, got generation-2 finished/],
    'two are exchanged': [(marks) => moved('generation-3 finished', 'forced-pod-loss started')(moved('generation-3 started', 'forced-pod-loss started')(marks)), /expected forced-pod-loss started, got generation-3 started/],
  };
  for (const [what, [change, expected]] of Object.entries(LIES)) {
    it(`are found out when ${what}`, () => assert.match(stepFaultsOf(withMarks(change)).join(), expected));
  }
});
