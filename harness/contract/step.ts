import type { StepId } from '../../evidence/observation.ts';
import { HarnessError } from '../run/errors.ts';
import type { ContractContext } from './context.ts';
import { STEPS } from './step-catalogue.ts';

/** Marks the step in the log and measures it. What the step proves is not said here: it follows from what is observed meanwhile. */
export async function step<T>(context: Pick<ContractContext, 'recorder' | 'spans' | 'signal' | 'say'>, id: StepId, work: () => Promise<T>): Promise<T> {
  context.signal.throwIfAborted();
  context.say(STEPS[id].sentence);
  context.recorder.record('run.step', id, { step: id, state: 'started' });
  const result = await context.spans.measure(`step ${id}`, () => withinDeadline(id, work));
  context.recorder.record('run.step', id, { step: id, state: 'finished' });
  return result;
}

/** Single waits tell more when they end for want of time; this is for what has no deadline of its own. */
async function withinDeadline<T>(id: StepId, work: () => Promise<T>): Promise<T> {
  const { sentence, deadlineMs } = STEPS[id];
  if (deadlineMs === null) return await work();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new HarnessError('QL3_WAIT_TIMEOUT', `expected step ${id} (${sentence}) to end within ${deadlineMs} ms, and it still goes on; what it waited for is in the failure folder`)), deadlineMs);
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
