import type { Container } from '../../controllers/runtime/objects.ts';
import { check, type CheckTarget } from '../probes/check.ts';
import { pause } from './termination.ts';

export type Hook = NonNullable<NonNullable<Container['lifecycle']>['preStop']>;

/** Null when the hook has done its work; otherwise what went wrong. It is given up when the signal is aborted. */
export async function runHook(hook: Hook, target: CheckTarget, signal: AbortSignal): Promise<string | null> {
  if (hook.sleep === undefined) return check(hook, target, signal);
  await pause(hook.sleep.seconds * 1000, signal);
  return null;
}
