import { chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Container } from '../../controllers/runtime/objects.ts';
import { ContainerConfigError, containerVariables } from '../environment/container-environment.ts';
import { type PathMapping, PathTranslation } from '../environment/path-translation.ts';
import { expandVariables } from '../environment/variable-expansion.ts';
import type { NodeImage } from '../image-table.ts';
import type { ProcessSpec } from '../process/container-process.ts';
import { breaksRunAsNonRoot, containerUser, type ContainerUser } from '../process/container-user.ts';
import type { PodRuntime } from './pod-runtime.ts';

const TERMINATION_MESSAGE_PATH = '/dev/termination-log';
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** All that is needed to start the container, and to run more commands in it later. */
export interface ContainerLaunch {
  readonly process: ProcessSpec;
  readonly terminationMessageFile: string;
  /** A command as given in a probe, a hook or an exec request, with its paths translated. */
  command(words: readonly string[]): ProcessSpec;
}

/** Throws ContainerConfigError where the kubelet would say CreateContainerConfigError. */
export async function prepareLaunch(runtime: PodRuntime, container: Container, image: NodeImage, attempt: number): Promise<ContainerLaunch> {
  const { node, pod } = runtime;
  const user = containerUser(pod, container, node.canChangeUser);
  if (breaksRunAsNonRoot(pod, container, user, node.canChangeUser)) {
    throw new ContainerConfigError(`container has runAsNonRoot and image will run as root (pod: "${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})", container: ${container.name})`);
  }
  const variables = variablesOf(runtime, container, image);
  const scratch = await makeScratch(runtime, container, user);
  const terminationMessageFile = join(scratch, `termination-log.${attempt}`);
  await writeFile(terminationMessageFile, '', { mode: 0o666, flag: 'w' });
  if (user !== null) await chown(terminationMessageFile, user.uid, user.gid);
  const translation = new PathTranslation([
    ...mountMappings(runtime, container, scratch),
    ...(await imageMappings(await node.images.unpack(image))),
    { containerPath: container.terminationMessagePath ?? TERMINATION_MESSAGE_PATH, hostPath: terminationMessageFile },
  ]);
  const translated = [...variables].map(([name, value]) => [name, translation.translate(value)] as const);
  const env = { ...baseEnvironment(runtime, scratch, translation), ...Object.fromEntries(translated), ...nodeVariables(runtime) };
  const cwd = container.workingDir === undefined ? scratch : translation.translate(container.workingDir);
  const command = (words: readonly string[]): ProcessSpec => ({
    command: words.map((word) => translation.translate(word)),
    env,
    cwd,
    user,
    preload: node.preload,
    groups: node.groups,
  });
  const words = [...(container.command ?? image.entrypoint), ...(container.args ?? [])].map((word) => expandVariables(word, variables));
  return { process: command(words), terminationMessageFile, command };
}

function variablesOf({ node, pod, podIp }: PodRuntime, container: Container, image: NodeImage): Map<string, string> {
  const { namespace } = pod.metadata;
  return containerVariables(container, image.env, {
    pod,
    place: { podIp, nodeIp: node.addresses.nodeAddress },
    secret: (name) => node.caches.secrets.find(namespace, name),
    configMap: (name) => node.caches.configMaps.find(namespace, name),
  });
}

/** A folder of the container's own in place of its writable root: working directory, HOME and, without a mount, /tmp. */
async function makeScratch({ directory }: PodRuntime, container: Container, user: ContainerUser | null): Promise<string> {
  const scratch = join(directory, 'containers', container.name);
  await mkdir(join(scratch, 'tmp'), { recursive: true, mode: 0o700 });
  if (user === null) return scratch;
  await chown(scratch, user.uid, user.gid);
  await chown(join(scratch, 'tmp'), user.uid, user.gid);
  return scratch;
}

function mountMappings({ volumes }: PodRuntime, container: Container, scratch: string): PathMapping[] {
  const mounts = (container.volumeMounts ?? []).map(({ name, mountPath, subPath = '' }) => {
    const path = volumes.pathOf(name);
    if (path === undefined) throw new ContainerConfigError(`volume mount ${mountPath} names the volume ${name}, which the Pod does not have`);
    return { containerPath: mountPath, hostPath: join(path, subPath) };
  });
  const hasTmp = mounts.some(({ containerPath }) => containerPath.replace(/\/+$/, '') === '/tmp');
  return hasTmp ? mounts : [...mounts, { containerPath: '/tmp', hostPath: join(scratch, 'tmp') }];
}

async function imageMappings(root: string): Promise<PathMapping[]> {
  return (await readdir(root)).map((name) => ({ containerPath: `/${name}`, hostPath: join(root, name) }));
}

function baseEnvironment({ node, pod }: PodRuntime, scratch: string, translation: PathTranslation): Record<string, string> {
  const { host, port } = node.apiEndpoint;
  return {
    PATH: `${dirname(process.execPath)}:${SYSTEM_PATH}`,
    HOME: scratch,
    HOSTNAME: pod.spec.hostname ?? pod.metadata.name,
    TMPDIR: translation.translate('/tmp'),
    KUBERNETES_SERVICE_HOST: host,
    KUBERNETES_SERVICE_PORT: String(port),
    KUBERNETES_SERVICE_PORT_HTTPS: String(port),
  };
}

function nodeVariables({ node, pod }: PodRuntime): Record<string, string> {
  return { ...node.marker, QL3_EMBEDDED_HOSTS_FILE: node.hosts.fileFor(pod.metadata.namespace) };
}
