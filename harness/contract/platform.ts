import { recordDatabase } from '../database/run-database.ts';
import { readSourceFiles } from '../images/source-files.ts';
import type { Recorder } from '../observation/recorder.ts';
import { expecting } from '../progress/activity.ts';
import type { PlatformFact, StartedSubstrate } from '../substrate/substrate.ts';
import type { ContractContext } from './context.ts';
import type { ContractOptions } from './run-contract.ts';

/** Records which run of which source this is. */
export async function recordSource({ recorder, runId, substrate, source, signal }: Pick<ContractOptions, 'recorder' | 'runId' | 'substrate' | 'source' | 'signal'>): Promise<void> {
  const { treeDigest } = await readSourceFiles(source.directory, signal);
  recorder.record('run.started', 'run', {
    contract: 'v2',
    logVersion: 2,
    runId,
    substrate: substrate.kind,
    sourceRevision: source.revision,
    treeClean: source.clean,
    treeDigest,
  });
}

/** Records what the run stands on: cluster, node, database, images, each as its witness tells it. */
export async function recordPlatform(context: ContractContext, substrate: StartedSubstrate): Promise<void> {
  const { recorder, cluster } = context;
  const [version, nodes, facts] = await expecting({ expected: 'API server, nodes, substrate and PostgreSQL to tell what they are' }, () =>
    Promise.all([cluster.version.getCode(), substrate.ready.then(() => cluster.core.listNode()), substrate.platformFacts(), recordDatabase(context.database, recorder)]),
  );
  recorder.record('platform.version', '/version', { gitVersion: version.gitVersion, platform: version.platform });
  for (const node of nodes.items) {
    const info = node.status?.nodeInfo;
    const name = node.metadata?.name ?? '';
    recorder.record('platform.node', `nodes/${name}`, {
      name,
      uid: node.metadata?.uid ?? '',
      architecture: info?.architecture ?? '',
      kubeletVersion: info?.kubeletVersion ?? '',
      containerRuntimeVersion: info?.containerRuntimeVersion ?? '',
    });
  }
  const { serviceCidr, servicePort, backendCidr, backendPort } = context.access.apiServer;
  const { cidr, port } = context.database.access.fromPods;
  recorder.record('platform.endpoints', 'endpoints', { apiServer: { serviceCidr, servicePort, backendCidr, backendPort }, database: { cidr, port } });
  recordFacts(recorder, facts);
}

/** Records that Pods reach the database which this machine reaches. None but the Job of the third generation needs it, and the start of the first one's Pod would be the slower for it. */
export async function recordReach({ recorder }: ContractContext, substrate: StartedSubstrate): Promise<void> {
  recordFacts(recorder, await expecting({ expected: 'a Pod to reach PostgreSQL' }, () => substrate.reachFacts()));
}

export function recordFacts(recorder: Recorder, facts: readonly PlatformFact[]): void {
  for (const { kind, subject, body, witness } of facts) recorder.record(kind, subject, body, witness);
}
