import { recordDatabase } from '../database/run-database.ts';
import { readSourceFiles } from '../images/source-files.ts';
import { expecting } from '../progress/activity.ts';
import type { StartedSubstrate } from '../substrate/substrate.ts';
import type { ContractContext } from './context.ts';

/** Records what the run stands on: source, cluster, node, database, images, each as its witness tells it. */
export async function recordPlatform(context: ContractContext, substrate: StartedSubstrate): Promise<void> {
  const { recorder, cluster, source } = context;
  recorder.record('run.started', 'run', {
    contract: 'v2',
    logVersion: 2,
    runId: context.runId,
    substrate: substrate.kind,
    sourceRevision: source.revision,
    treeClean: source.clean,
    treeDigest: (await readSourceFiles(source.directory, context.signal)).treeDigest,
  });
  const [version, nodes, facts] = await expecting({ expected: 'API server, nodes, substrate and PostgreSQL to tell what they are' }, () =>
    Promise.all([cluster.version.getCode(), cluster.core.listNode(), substrate.platformFacts(), recordDatabase(context.database, recorder)]),
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
  for (const { kind, subject, body, witness } of facts) recorder.record(kind, subject, body, witness);
}
