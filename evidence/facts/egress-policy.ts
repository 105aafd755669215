import { CONTRACT_NAMES } from '../contract-names.ts';
import type { ObservationBodies } from '../observation.ts';
import { firstJob, replayJob } from './executor-jobs.ts';
import { dig, listAt, numberAt, textAt, textsAt } from './fields.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import type { PodLife } from './pods.ts';

export interface Destination {
  readonly cidr: string;
  readonly port: number;
}

/** The NetworkPolicy of the executor's namespace, taken apart. */
export interface ExecutorPolicy {
  readonly seq: number;
  readonly closedToIngress: boolean;
  readonly governsExecutorPods: boolean;
  readonly egress: readonly Destination[];
  readonly selects: (pod: PodLife) => boolean;
}

/** Null when there is none or more than one that could select the executor's Pods: policies add up. */
export const executorPolicy = fact((run: ObservedRun): ExecutorPolicy | null => {
  const read = run.of('api.object').filter(({ body: { object } }) => object.kind === 'NetworkPolicy' && object.metadata.namespace === CONTRACT_NAMES.executorNamespace);
  const byName = new Map(read.map((observation) => [observation.body.object.metadata.name, observation]));
  const [only] = byName.values();
  if (only === undefined || byName.size !== 1) return null;
  const { spec } = only.body.object as { spec?: unknown };
  const labels = dig(spec, 'podSelector', 'matchLabels') as Readonly<Record<string, string>> | undefined;
  const selects = ({ object }: PodLife): boolean => listAt(spec, 'podSelector', 'matchExpressions').length === 0 && Object.entries(labels ?? {}).every(([key, value]) => object.metadata.labels?.[key] === value);
  const types = textsAt(spec, 'policyTypes');
  const pods = [firstJob(run).pod, replayJob(run).pod];
  return {
    seq: only.seq,
    closedToIngress: types.includes('Ingress') && types.includes('Egress') && listAt(spec, 'ingress').length === 0,
    governsExecutorPods: pods.every((pod) => pod !== null && selects(pod)),
    egress: listAt(spec, 'egress').flatMap(toDestinations),
    selects,
  };
});

/** Every pair of a peer and a port of one egress rule. A rule without peers or ports is open: it becomes a destination that nobody intends. */
function toDestinations(rule: unknown): readonly Destination[] {
  const peers = listAt(rule, 'to');
  const ports = listAt(rule, 'ports');
  if (peers.length === 0 || ports.length === 0) return [{ cidr: '0.0.0.0/0', port: 0 }];
  return peers.flatMap((peer) => ports.map((port) => ({ cidr: toCidr(peer), port: toPort(port) })));
}

function toCidr(peer: unknown): string {
  const only = Object.keys(peer ?? {}).join() === 'ipBlock' && dig(peer, 'ipBlock', 'except') === undefined;
  return (only ? textAt(peer, 'ipBlock', 'cidr') : null) ?? '0.0.0.0/0';
}

function toPort(port: unknown): number {
  const tcp = (textAt(port, 'protocol') ?? 'TCP') === 'TCP' && dig(port, 'endPort') === undefined;
  return (tcp ? numberAt(port, 'port') : null) ?? 0;
}

export function intendedEgress({ apiServer, database }: ObservationBodies['platform.endpoints']): readonly Destination[] {
  return [
    { cidr: apiServer.serviceCidr, port: apiServer.servicePort },
    { cidr: apiServer.backendCidr, port: apiServer.backendPort },
    { cidr: database.cidr, port: database.port },
  ];
}

export function sameEgress(left: readonly Destination[], right: readonly Destination[]): boolean {
  const text = (destinations: readonly Destination[]): string => destinations.map(({ cidr, port }) => `${cidr}:${port}`).sort().join();
  return text(left) === text(right) && left.every(({ cidr }) => cidr.endsWith('/32'));
}

export function admits(policy: ExecutorPolicy, address: string, port: number): boolean {
  return policy.egress.some((destination) => destination.cidr === `${address}/32` && destination.port === port);
}
