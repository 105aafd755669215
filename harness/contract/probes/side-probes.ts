import type { StartedSubstrate } from '../../substrate/substrate.ts';
import type { ContractContext } from '../context.ts';
import type { Ingress } from '../steps/ingress.ts';
import type { Authority } from '../../pki/authority.ts';
import { probeAbandonedSession, startProbeWorker } from './abandoned-session.ts';
import { probeApprovals } from './approvals.ts';
import { probeDeliveries } from './deliveries.ts';
import { probeDisposedClient } from './disposed-client.ts';
import { probeEgress } from './egress.ts';
import { probeForbiddenRequests } from './forbidden-requests.ts';
import { createProbeObjects } from './probe-objects.ts';
import { probeForbiddenStatements } from './forbidden-statements.ts';

export interface SideProbes {
  /** Of the ingress, which is to accept the probe's own Worker. */
  readonly authority: Authority;
  readonly ingress: Promise<Ingress>;
  readonly substrate: Pick<StartedSubstrate, 'enforcesNetworkPolicy' | 'killContainer'>;
}

/** The probes that touch nothing of the contract's own objects, beside its steps from the actor's last identity on. */
export async function runSideProbes(context: ContractContext, probes: SideProbes): Promise<void> {
  await Promise.all([
    probeOneAfterAnother(context, probes),
    // by a Pod of its own and by nothing else
    probes.substrate.enforcesNetworkPolicy ? probeEgressInLull(context, probes) : undefined,
  ]);
}

/** Each asks the other witnesses about a window of time, and what it provokes must be the only thing of its kind in it. Pods of their own start while nothing of the contract starts or stops. */
async function probeOneAfterAnother(context: ContractContext, { authority, substrate }: SideProbes): Promise<void> {
  const { lulls } = context;
  await lulls.until('identity-b', 'ordered');
  await probeForbiddenStatements(context);
  await probeForbiddenRequests(context);
  await probeApprovals(context);
  await createProbeObjects(context, authority);
  await probeDeliveries(context);
  await probeDisposedClient(context);
  await lulls.until('session-1', 'registered');
  const worker = await startProbeWorker(context);
  await lulls.until('generation-4', 'registered');
  await probeAbandonedSession(context, worker, (containerId) => substrate.killContainer(containerId));
}

async function probeEgressInLull(context: ContractContext, { ingress }: SideProbes): Promise<void> {
  await context.lulls.until('generation-4', 'ended');
  await probeEgress(context, await ingress);
}
