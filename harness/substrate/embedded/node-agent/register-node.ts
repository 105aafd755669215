import { arch, cpus, release, totalmem } from 'node:os';
import { type ClusterClient, isAlreadyExists } from '../controllers/runtime/cluster-client.ts';
import { NODES } from '../controllers/runtime/kinds.ts';
import { now } from '../controllers/runtime/timestamps.ts';
import type { ImageTable } from './image-table.ts';

export interface NodeFacts {
  readonly name: string;
  readonly address: string;
  readonly kubeletVersion: string;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const MAX_PODS = 240;

/** Creates the Node object and reports it Ready. */
export async function registerNode(client: ClusterClient, facts: NodeFacts): Promise<void> {
  const architecture = ARCHITECTURES[arch()] ?? arch();
  const labels = {
    'kubernetes.io/hostname': facts.name,
    'kubernetes.io/os': process.platform,
    'kubernetes.io/arch': architecture,
    'node-role.kubernetes.io/control-plane': 'true',
  };
  try {
    await client.create(NODES, null, { metadata: { name: facts.name, labels }, spec: {} });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const node = await client.get(NODES, null, facts.name);
  if (node === null) throw new Error(`Node ${facts.name} vanished while it was being registered`);
  await client.patch(NODES, node, { status: nodeStatus(facts, architecture) }, 'status');
}

/** The images that this node can run, as `kubectl get node -o yaml` shows them. */
export async function reportImages(client: ClusterClient, nodeName: string, images: ImageTable): Promise<void> {
  const node = await client.get(NODES, null, nodeName);
  const names = images.all().map(({ name, image }) => ({ names: [name, `${name.replace(/[:@][^/]*$/, '')}@${image.imageId}`], sizeBytes: 0 }));
  if (node !== null) await client.patch(NODES, node, { status: { images: names } }, 'status');
}

function nodeStatus(facts: NodeFacts, architecture: string): object {
  const resources = { cpu: String(cpus().length), memory: `${Math.floor(totalmem() / 1024)}Ki`, pods: String(MAX_PODS) };
  const at = now();
  const condition = (type: string, status: string, reason: string, message: string): object => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  });
  return {
    capacity: resources,
    allocatable: resources,
    addresses: [
      { type: 'InternalIP', address: facts.address },
      { type: 'Hostname', address: facts.name },
    ],
    conditions: [
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'this node does not measure memory pressure'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'this node does not measure disk pressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'this node does not measure PID pressure'),
      condition('Ready', 'True', 'KubeletReady', 'node agent is running'),
    ],
    nodeInfo: {
      architecture,
      operatingSystem: process.platform,
      kernelVersion: release(),
      kubeletVersion: facts.kubeletVersion,
      kubeProxyVersion: '',
      containerRuntimeVersion: `embedded://${process.versions.node}`,
      osImage: 'host processes without containers',
      machineID: '',
      systemUUID: '',
      bootID: '',
    },
  };
}
