import type { StartedSubstrate } from '../../substrate/substrate.ts';
import type { ContractContext } from '../context.ts';
import type { Ingress } from '../steps/ingress.ts';
import { probeAbandonedSession } from './abandoned-session.ts';
import { probeApprovals } from './approvals.ts';
import { probeDeliveries } from './deliveries.ts';
import { probeDisposedClient } from './disposed-client.ts';
import { probeEgress } from './egress.ts';
import { probeForbiddenRequests } from './forbidden-requests.ts';
import { createProbeObjects } from './probe-objects.ts';
import { probeForbiddenStatements } from './forbidden-statements.ts';

/** The probes that touch nothing of the contract's own objects, beside its steps from the ingress on. */
export async function runSideProbes(context: ContractContext, ingress: Ingress, substrate: Pick<StartedSubstrate, 'enforcesNetworkPolicy' | 'killContainer'>): Promise<void> {
  await Promise.all([
    probeOneAfterAnother(context, ingress, substrate),
    // by a Pod of its own and by nothing else
    substrate.enforcesNetworkPolicy ? probeEgress(context, ingress) : undefined,
  ]);
}

/** Each asks the other witnesses about a window of time, and what it provokes must be the only thing of its kind in it. */
async function probeOneAfterAnother(context: ContractContext, ingress: Ingress, substrate: Pick<StartedSubstrate, 'killContainer'>): Promise<void> {
  await probeForbiddenStatements(context);
  await probeForbiddenRequests(context);
  await probeApprovals(context);
  await createProbeObjects(context, ingress);
  await probeDeliveries(context);
  await probeDisposedClient(context);
  await probeAbandonedSession(context, (containerId) => substrate.killContainer(containerId));
}
