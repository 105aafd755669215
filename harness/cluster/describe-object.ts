import type { ObservedObject } from '../../evidence/observation.ts';

interface ContainerState {
  readonly running?: object;
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: { readonly exitCode?: number; readonly reason?: string; readonly message?: string };
}

interface Status {
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string; readonly message?: string }[];
  readonly initContainerStatuses?: readonly { readonly name: string; readonly ready?: boolean; readonly state?: ContainerState }[];
  readonly containerStatuses?: readonly { readonly name: string; readonly ready?: boolean; readonly state?: ContainerState }[];
}

/** An object in the words that matter to who waits for it: which one, and what its status says is not so yet. */
export function describeObject(object: ObservedObject): string {
  const { name, uid, resourceVersion, deletionTimestamp } = object.metadata;
  const { phase, conditions = [], initContainerStatuses = [], containerStatuses = [] } = (object['status'] ?? {}) as Status;
  const unmet = conditions.filter(({ status, message }) => status !== 'True' && message).map(({ type, message }) => `${type}: ${message}`);
  const states = [...initContainerStatuses.filter(({ state }) => state?.terminated?.exitCode !== 0), ...containerStatuses].map(({ name: container, ready, state }) => `${container} ${describeState(state)}${state?.running !== undefined && ready === false ? ', not ready' : ''}`);
  const told = [phase, ...states, ...unmet].filter((text) => text !== undefined);
  const which = `${object.kind} ${name} (uid ${uid.slice(0, 8)}, resourceVersion ${resourceVersion}${deletionTimestamp === undefined ? '' : ', being deleted'})`;
  return told.length === 0 ? which : `${which} ${told.join('; ')}`;
}

function describeState(state: ContainerState = {}): string {
  const { waiting, terminated } = state;
  if (terminated !== undefined) return `ended with exit code ${terminated.exitCode ?? 'unknown'}${reasonOf(terminated)}`;
  if (waiting !== undefined) return `waits${reasonOf(waiting)}`;
  return state.running === undefined ? 'has no state yet' : 'runs';
}

function reasonOf({ reason, message }: { readonly reason?: string; readonly message?: string }): string {
  const told = [reason, message].filter(Boolean).join(': ');
  return told === '' ? '' : ` (${told})`;
}
