import { STEP_IDS, type StepId } from '../../evidence/observation.ts';
import { STEPS, type StepPhase } from '../contract/step-catalogue.ts';
import type { Task } from './activity.ts';

const STEP_PREFIX = 'step ';

export const PHASE_TITLES: Readonly<Record<StepPhase, string>> = {
  platform: 'the platform',
  actor: 'phase A: rotation under the actor',
  product: 'phase B: rotation under the production images',
  end: 'the end',
};

/** The step of the contract that a task is, or null. */
export function stepIdOf({ name }: Pick<Task, 'name'>): StepId | null {
  const id = name.startsWith(STEP_PREFIX) ? name.slice(STEP_PREFIX.length) : null;
  return id !== null && (STEP_IDS as readonly string[]).includes(id) ? (id as StepId) : null;
}

/** The step that the task is or belongs to; where there is none, the outermost task. */
export function stepTaskOf(task: Task): Task {
  let outermost = task;
  for (let current: Task | null = task; current !== null; current = current.parent) {
    if (stepIdOf(current) !== null) return current;
    outermost = current;
  }
  return outermost;
}

export function titleOf(task: Pick<Task, 'name'>): string {
  const id = stepIdOf(task);
  return id === null ? task.name : STEPS[id].sentence;
}

export function phaseOf(task: Pick<Task, 'name'>): StepPhase | null {
  const id = stepIdOf(task);
  return id === null ? null : STEPS[id].phase;
}
