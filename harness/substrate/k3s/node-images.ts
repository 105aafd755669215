import type Docker from 'dockerode';
import type { Readable } from 'node:stream';
import { execInContainer } from './container-exec.ts';
import { pollUntil } from './poll-until.ts';
import { SubstrateError } from './substrate-error.ts';

/** K3s keeps the images of Pods in this namespace of containerd. */
const CTR = ['ctr', '--namespace', 'k8s.io'];
const LISTED_WITHIN_MS = 30_000;

/** An image as the node's runtime has it. */
export interface NodeImage {
  /** `sha256:…` of the configuration, which is what a kubelet reports. */
  readonly imageId: string;
  readonly names: readonly string[];
  readonly manifestDigest: string;
}

/** Waits for the runtime, which comes up before the cluster is ready. */
export async function untilRuntimeAnswers(container: Docker.Container, signal: AbortSignal): Promise<void> {
  await pollUntil(async () => ((await execInContainer(container, [...CTR, 'version'], { signal })).exitCode === 0 ? true : undefined), {
    fault: 'CLUSTER_NOT_READY',
    expectation: "the node's container runtime to answer",
    everyMs: 200,
    deadlineMs: 120_000,
    signal,
  });
}

export interface TaggedImage {
  readonly tag: string;
  readonly id: string;
}

/**
 * The images as one archive, in which what they share is once. The Engine takes as long to write it as the node does to read it,
 * so it is asked for as soon as the images are there; it is sent when the node is.
 */
export async function openArchive(docker: Docker, images: readonly TaggedImage[], signal: AbortSignal): Promise<Readable> {
  const engine = docker as unknown as { getImages(options: object): Promise<Readable> };
  return await engine.getImages({ _query: { names: images.map(({ tag }) => tag) }, abortSignal: signal });
}

/**
 * Streams images from the Engine's store into the node's, without a copy on disk. An import has been known to report success
 * and lose an image: each is looked up by its id, and one that is not there is sent again by itself.
 */
export async function importImages(docker: Docker, container: Docker.Container, images: readonly TaggedImage[], signal: AbortSignal, archive?: Readable): Promise<readonly NodeImage[]> {
  if (images.length === 0) return [];
  await sendArchive(container, images, archive ?? (await openArchive(docker, images, signal)), signal);
  const present = await listNodeImages(container, signal);
  return await Promise.all(images.map(async (image) => findImage(present, image) ?? (await sendAgain(docker, container, image, signal))));
}

async function sendAgain(docker: Docker, container: Docker.Container, image: TaggedImage, signal: AbortSignal): Promise<NodeImage> {
  await sendArchive(container, [image], await openArchive(docker, [image], signal), signal);
  return await untilListed(container, image, signal);
}

async function sendArchive(container: Docker.Container, images: readonly TaggedImage[], archive: Readable, signal: AbortSignal): Promise<void> {
  const { exitCode, stderr } = await execInContainer(container, [...CTR, 'images', 'import', '-'], { input: archive, signal });
  if (exitCode !== 0) throw new SubstrateError('IMAGE_LOST', `${images.map(({ tag }) => tag).join(', ')} could not be imported into the node: ${stderr.trim() || `exit code ${exitCode}`}`);
}

async function untilListed(container: Docker.Container, image: TaggedImage, signal: AbortSignal): Promise<NodeImage> {
  return await pollUntil(
    async () => {
      const listed = await listNodeImages(container, signal);
      const found = findImage(listed, image);
      if (found) return found;
      const other = listed.find(({ names }) => names.includes(nodeName(image.tag)));
      throw new Error(other ? `the node has ${image.tag} as ${other.imageId}` : `the node has no ${image.tag}`);
    },
    { fault: 'IMAGE_LOST', expectation: `the node to list ${nodeName(image.tag)} as ${image.id}`, everyMs: 200, deadlineMs: LISTED_WITHIN_MS, signal },
  );
}

/** The Engine knows an image by its configuration or, with containerd's store, by its manifest. */
function findImage(listed: readonly NodeImage[], { tag, id }: TaggedImage): NodeImage | undefined {
  return listed.find(({ names, imageId, manifestDigest }) => names.includes(nodeName(tag)) && (imageId === id || manifestDigest === id));
}

/** What `name:tag` is called by containerd. */
export function nodeName(tag: string): string {
  return `docker.io/${tag.includes('/') ? '' : 'library/'}${tag}`;
}

/** Every image of the node that its kubelet can use: the runtime lists those under their own id too. */
export async function listNodeImages(container: Docker.Container, signal: AbortSignal): Promise<readonly NodeImage[]> {
  const { stdout, stderr, exitCode } = await execInContainer(container, [...CTR, 'images', 'ls'], { signal });
  if (exitCode !== 0) throw new SubstrateError('IMAGE_LOST', `the node's images could not be listed: ${stderr.trim()}`);
  const references = stdout.toString().trim().split('\n').slice(1).map((line) => line.split(/\s+/)).map(([reference = '', , digest = '']) => ({ reference, digest }));
  return references
    .filter(({ reference }) => reference.startsWith('sha256:'))
    .map(({ reference, digest }) => ({
      imageId: reference,
      manifestDigest: digest,
      names: references.filter((other) => other.digest === digest && other.reference !== reference).map((other) => other.reference),
    }));
}

/** SIGKILL to a container of a Pod, from the runtime and not through the API. */
export async function killNodeContainer(container: Docker.Container, containerId: string, signal: AbortSignal): Promise<void> {
  const id = containerId.replace(/^containerd:\/\//, '');
  const { exitCode, stderr } = await execInContainer(container, [...CTR, 'tasks', 'kill', '--signal', 'SIGKILL', id], { signal });
  if (exitCode !== 0) throw new Error(`the runtime would not kill ${containerId}: ${stderr.trim()}`);
}
