import type Docker from 'dockerode';
import { readFile } from 'node:fs/promises';
import type { ResolvedImage } from '../../images/resolve-image.ts';
import { AUDIT_POLICY_PATH } from '../../manifests/render.ts';
import { putFiles } from './container-files.ts';
import { createContainer, type Creation } from './create-container.ts';
import type { EngineFacts } from './preflight.ts';
import type { Labels } from './run-labels.ts';
import { startContainer } from './start-container.ts';

export const AUDIT_LOG_PATH = '/var/log/ql3/audit.log';
export const KUBECONFIG_PATH = '/etc/rancher/k3s/k3s.yaml';
const POLICY_PATH = '/etc/ql3/audit-policy.yaml';
export const API_PORT = '6443/tcp';

const SERVER = [
  'server',
  // of what K3s brings along, the contract needs DNS and local volumes alone
  '--disable=traefik',
  '--disable=servicelb',
  '--disable=metrics-server',
  '--disable-helm-controller',
  '--write-kubeconfig-mode=600',
  '--tls-san=127.0.0.1',
  `--kube-apiserver-arg=audit-policy-file=${POLICY_PATH}`,
  `--kube-apiserver-arg=audit-log-path=${AUDIT_LOG_PATH}`,
];

export interface ClusterContainerOptions {
  readonly name: string;
  readonly image: ResolvedImage;
  readonly network: string;
  readonly engine: EngineFacts;
  readonly labels: Labels;
}

/** Makes the cluster's container, puts the audit policy in (the API server reads it when it starts), and starts it. */
export async function startClusterContainer(docker: Docker, options: ClusterContainerOptions, creation: Creation): Promise<Docker.Container> {
  const { name, image, labels, engine } = options;
  const { Config } = await docker.getImage(image.id).inspect();
  const container = await createContainer(docker, {
    name,
    Image: image.id,
    Hostname: name,
    Cmd: SERVER,
    Labels: { ...labels },
    ExposedPorts: { [API_PORT]: {} },
    HostConfig: {
      Privileged: true,
      NetworkMode: options.network,
      PortBindings: { [API_PORT]: [{ HostIp: '127.0.0.1', HostPort: '0' }] },
      Tmpfs: { '/run': '', '/var/run': '' },
      // volumes of the run: labelled, and removed with the container
      Mounts: Object.keys(Config.Volumes ?? {}).map((target) => ({ Type: 'volume', Target: target, Source: '', VolumeOptions: { NoCopy: false, Labels: { ...labels }, DriverConfig: { Name: 'local', Options: {} } } })),
      ...(engine.cgroupVersion === '2' ? { CgroupnsMode: 'private' } : {}),
      ...(engine.remapsUsers ? { UsernsMode: 'host' } : {}),
    },
  }, creation);
  await putFiles(container, [{ path: POLICY_PATH, content: await readFile(AUDIT_POLICY_PATH), mode: 0o600 }]);
  await startContainer(container, 'the cluster', creation.signal);
  return container;
}

/** Where the container's port is published on this machine. */
export async function publishedPort(container: Docker.Container, port: string): Promise<number> {
  const { NetworkSettings } = await container.inspect();
  return Number(NetworkSettings.Ports[port]?.[0]?.HostPort);
}

export async function addressIn(container: Docker.Container, network: string): Promise<string> {
  const { NetworkSettings } = await container.inspect();
  return NetworkSettings.Networks[network]?.IPAddress ?? '';
}

export async function apiPortOf(container: Docker.Container): Promise<number> {
  return await publishedPort(container, API_PORT);
}
