import type { FailedExpectation, FailureIndex } from '../../evidence/failure-index.ts';
import { isWithin, type Activity, type Blame } from '../progress/activity.ts';
import { stepIdOf, stepTaskOf, titleOf } from '../progress/task-titles.ts';
import type { Wait } from '../progress/wait.ts';

export type FailureAccount = Pick<FailureIndex, 'step' | 'expectation' | 'alsoWaiting'>;

/**
 * Which step failed, what it expected and what it last saw. `errors` are what the run was told first, and what that turned out to
 * come from. Where everything was called off from outside (a container died, a signal came), nobody's wait is the reason: the
 * contract's own step then stands for the others.
 */
export function accountOf(activity: Activity, { errors, isCalledOff }: { readonly errors: readonly unknown[]; readonly isCalledOff: boolean }): FailureAccount {
  const blames = errors.flatMap((error) => activity.blamesOf(error));
  const first = (isCalledOff ? (blames.find((blame) => isOfContract(blame) && blame.wait !== null) ?? blames.find(isOfContract)) : undefined) ?? blames[0];
  const task = first?.task ?? activity.running.at(-1) ?? null;
  const step = task === null ? null : stepTaskOf(task);
  // of the step that failed the wait counts, wherever in it
  const own = first?.wait ?? blames.find((blame) => blame.wait !== null && step !== null && isWithin(blame.task, step))?.wait ?? null;
  const wait = own !== null && own.lastSeen === null && step !== null && stepIdOf(step) === 'boot' ? (whoLooks(blames) ?? own) : own;
  const others = blames.flatMap((blame) => (blame.wait === null || blame.wait === wait ? [] : [blame.wait]));
  return {
    step: step === null ? null : { id: stepIdOf(step) ?? step.name, title: titleOf(step), startedMs: Math.round(step.startedMs) },
    expectation: wait === null ? null : toExpectation(wait),
    alsoWaiting: [...new Set(others)].slice(0, 50).map(toExpectation),
  };
}

/** While the platform comes up, the contract waits for work that others do beside it: they have seen what there was to see. */
function whoLooks(blames: readonly Blame[]): Wait | undefined {
  return blames.find(({ wait }) => wait !== null && wait.lastSeen !== null)?.wait ?? undefined;
}

function isOfContract({ task }: Blame): boolean {
  return task !== null && stepIdOf(stepTaskOf(task)) !== null;
}

function toExpectation({ expected, sinceMs, waitedMs, deadlineMs, lastSeen, task }: Wait): FailedExpectation {
  return {
    expected,
    sinceMs: Math.round(sinceMs),
    waitedMs: Math.round(waitedMs),
    deadlineMs,
    lastSeen: lastSeen === null ? null : { text: lastSeen.text, atMs: Math.round(lastSeen.atMs) },
    by: task === null ? null : titleOf(task),
  };
}
