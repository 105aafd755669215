import { setTimeout as delay } from 'node:timers/promises';
import { createTokenRequestSession, toClusterAccess, type WorkerCredentialDelivery } from '../../../images/cluster-admin/src/index.ts';
import type { ContractContext } from '../context.ts';
import { authorityFor, PROBE_DELIVERY, targetOf } from '../host-execution.ts';
import { impersonate } from '../../cluster/clients.ts';
import { recordProbe } from './record-probe.ts';

/** Times are told in milliseconds: a request that came within the one of the disposal would be on neither side of it. */
const APART_MS = 5;

/** Keeps what a TokenRequest session lent beyond its end, and calls it once more. */
export async function probeDisposedClient(context: ContractContext): Promise<void> {
  const { targets } = authorityFor(context, PROBE_DELIVERY);
  const session = createTokenRequestSession({
    issuer: toClusterAccess(impersonate(context.cluster.config, PROBE_DELIVERY.issuerUser)),
    target: targetOf(context, PROBE_DELIVERY),
    serviceAccountName: targets.serviceAccountName,
    identitySecretName: targets.identitySecretName,
    connection: { signal: context.signal },
  });
  await recordProbe(context, 'disposed-client', 'an inventory of stages through a delivery that was kept beyond its session', async () => {
    const members = new Set(namesOf(session));
    let kept: WorkerCredentialDelivery | null = null;
    await session.withDelivery(async (delivery) => {
      kept = delivery;
      for (const name of namesOf(delivery)) members.add(name);
      await delivery.inventory({ afterDeliveryId: null });
    });
    const disposedAt = new Date().toISOString();
    await delay(APART_MS);
    const threw = await throws(kept);
    return { outcome: threw ? 'it threw' : 'it answered', facts: { threw, sessionMembers: [...members].sort(), disposedAt } };
  });
}

async function throws(delivery: WorkerCredentialDelivery | null): Promise<boolean> {
  try {
    await delivery?.inventory({ afterDeliveryId: null });
    return false;
  } catch {
    return true;
  }
}

/** Every name by which something can be had from an object: its own, and those of its class. */
function namesOf(object: object): string[] {
  const names: string[] = [];
  for (let level: object | null = object; level !== null && level !== Object.prototype; level = Object.getPrototypeOf(level) as object | null) {
    names.push(...Object.getOwnPropertyNames(level).filter((name) => name !== 'constructor'));
  }
  return names;
}
