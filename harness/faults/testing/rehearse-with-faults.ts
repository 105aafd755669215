/**
 * A rehearsal on a platform that misbehaves: `rehearse-with-faults.ts FAULT REPORT`, where FAULT is one of the API server's, or
 * `database-crash`, `database-shutdown` (it goes away when the production Worker is to start, and comes back), or `defect` (of the harness).
 * Everything else is as ever.
 */
import { KubeConfig } from '@kubernetes/client-node';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CONTRACT_NAMES as NAMES } from '../../../evidence/contract-names.ts';
import { performRun } from '../../cli/perform-run.ts';
import { FaultProxy, type Fault } from '../../contract/probes/fault-proxy.ts';
import { Authority } from '../../pki/authority.ts';
import { EmbeddedSubstrate } from '../../substrate/embedded/embedded-substrate.ts';
import type { Supervisor } from '../../substrate/embedded/supervisor.ts';
import type { ClusterAccess, StartContext, StartedSubstrate, Substrate } from '../../substrate/substrate.ts';
import { API_FAULTS, type ApiFault } from './api-faults.ts';

const [fault, reportPath] = process.argv.slice(2);
if (fault === undefined || reportPath === undefined) throw new TypeError('expected a fault and the path of a report');
const AWAY_MS = 3_000;

class MisbehavingSubstrate implements Substrate {
  readonly kind = 'embedded';

  async start(context: StartContext): Promise<StartedSubstrate> {
    if (fault === 'defect') return (undefined as unknown as { started: StartedSubstrate }).started;
    const { promise: supervisor, resolve: meet } = Promise.withResolvers<Supervisor>();
    const started = await new EmbeddedSubstrate({ meet }).start(context);
    if (fault === 'busy') context.releasers.add('something that stays', () => Promise.reject(new Error('it does not go')));
    const cluster = started.cluster.then((access) => throughProxy(access, context, faultOf(supervisor)));
    cluster.catch(() => undefined);
    return new Proxy(started, {
      get: (target, key): unknown => {
        if (key === 'cluster') return cluster;
        const member: unknown = Reflect.get(target, key, target);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  }
}

function faultOf(supervisor: Promise<Supervisor>): Fault {
  if (fault === 'database-crash' || fault === 'database-shutdown') return databaseGoesAway(supervisor, fault === 'database-crash' ? 'crash' : 'shutdown');
  return API_FAULTS[fault as ApiFault]();
}

/** At the replace by which the Deployment becomes the production Worker: Cluster Control runs then, and the harness waits for a session. */
function databaseGoesAway(supervisor: Promise<Supervisor>, how: 'crash' | 'shutdown'): Fault {
  let identities = 0;
  let isDone = false;
  return async ({ method, path, isHarness }) => {
    if (!isHarness || method !== 'PUT') return 'forward';
    // nobody else writes that Secret: the actor's second identity comes first, the production Worker's is the next
    if (path.endsWith(`/secrets/${NAMES.identitySecret}`)) identities += 1;
    if (isDone || identities < 2 || !path.endsWith(`/deployments/${NAMES.deployment}`)) return 'forward';
    isDone = true;
    const started = await supervisor;
    await started.interruptPostgres(how);
    void delay(AWAY_MS).then(() => started.resumePostgres());
    return 'forward';
  };
}

async function throughProxy(access: ClusterAccess, { directory, releasers }: StartContext, injected: Fault): Promise<ClusterAccess> {
  const config = new KubeConfig();
  config.loadFromFile(access.kubeconfigPath);
  const proxy = await FaultProxy.start(config, await Authority.create('misbehaving API server'));
  releasers.add('misbehaving API server', () => proxy.stop());
  proxy.inject(injected);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new TypeError('expected a current cluster');
  const { server, caPem } = proxy.endpoint;
  config.clusters = [{ ...cluster, server, caData: Buffer.from(caPem).toString('base64') }];
  const kubeconfigPath = join(directory, 'through-proxy.json');
  writeFileSync(kubeconfigPath, config.exportConfig(), { mode: 0o600, flag: 'wx' });
  return { ...access, kubeconfigPath };
}

process.exitCode = await performRun({ substrate: new MisbehavingSubstrate(), reportPath });
