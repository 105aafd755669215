import { renderManifests } from '../../manifests/render.ts';
import { createAll } from '../apply.ts';
import type { ContractContext } from '../context.ts';
import { DEADLINES } from '../deadlines.ts';
import { assertNotHopeless, podStatus } from '../pods.ts';
import type { Ingress } from '../steps/ingress.ts';
import { recordAttempt } from './record-probe.ts';

const PROBE_POD = 'ql3-worker-credential-egress-probe';

interface Attempt {
  readonly host: string;
  readonly port: number;
  readonly outcome: string;
}

/** A Pod under the executor's own policy knocks at two doors: PostgreSQL's, which the policy names, and the ingress's, which it does not. */
export async function probeEgress(context: ContractContext, ingress: Ingress): Promise<void> {
  const { database } = context;
  const inside = { host: database.access.fromPods.host, port: database.access.fromPods.port };
  const outside = { host: await podAddress(context, ingress.pod.podUid), port: 5801 };
  const startedAt = new Date().toISOString();
  await createAll(context.cluster, renderManifests('egress-probe', { adminImage: context.images.admin.name, inside: `${inside.host}:${inside.port}`, outside: `${outside.host}:${outside.port}` }));
  const pod = await context.watches.executorPods.until(
    'the egress probe to end',
    (pods) => {
      const probe = pods.find((candidate) => candidate.metadata.name === PROBE_POD);
      if (probe === undefined) return undefined;
      const terminated = podStatus(probe).containerStatuses?.[0]?.state?.terminated;
      if (terminated === undefined) assertNotHopeless(probe);
      return terminated === undefined ? undefined : probe;
    },
    DEADLINES.jobMs,
  );
  await context.lines.ended(pod.metadata.uid, DEADLINES.jobMs);
  const line = context.lines.all.findLast((candidate) => candidate.podUid === pod.metadata.uid && candidate.line['event'] === 'egress_probed');
  const window = { startedAt, endedAt: new Date().toISOString() };
  const seen = line?.line as { inside?: Attempt; outside?: Attempt } | undefined;
  for (const [probe, target, answer] of [
    ['egress-inside', inside, seen?.inside],
    ['egress-outside', outside, seen?.outside],
  ] as const) {
    recordAttempt(context, probe, `connect to ${target.host}:${target.port}`, window, {
      outcome: answer?.outcome ?? 'nothing was printed',
      facts: { podUid: pod.metadata.uid, address: target.host, port: target.port, reached: answer?.outcome === 'connected' },
    });
  }
}

async function podAddress(context: ContractContext, podUid: string): Promise<string> {
  return await context.watches.workerPods.until(`Pod ${podUid} to have an address`, (pods) => pods.map((pod) => (pod.metadata.uid === podUid ? podStatus(pod).podIP : undefined)).find((address) => address !== undefined), DEADLINES.podStartedMs);
}
