import { administrator, requests, succeeded } from '../../../evidence/facts/audit.ts';
import { ObservedRun } from '../../../evidence/facts/observed-run.ts';
import type { Observation } from '../../../evidence/observation.ts';

const PLURALS: Readonly<Record<string, string>> = { NetworkPolicy: 'networkpolicies' };

/** How a request names the object. */
export function nameOf({ kind, metadata }: { readonly kind: string; readonly metadata: { readonly name: string; readonly namespace?: string } }): string {
  const namespace = kind === 'Namespace' ? metadata.name : (metadata.namespace ?? '');
  return `${PLURALS[kind] ?? `${kind.toLowerCase()}s`}/${namespace}/${metadata.name}`;
}

/** What the administrator has created, as the API server logged it. */
export function creations(observations: readonly Observation[]): ReadonlySet<string> {
  const run = new ObservedRun(observations);
  const made = requests(run).filter((request) => request.event.verb === 'create' && request.event.subresource === null && request.identity === administrator(run) && succeeded(request));
  return new Set(made.map(({ event }) => `${event.resource}/${event.namespace ?? (event.resource === 'namespaces' ? event.name : '')}/${event.name}`));
}
