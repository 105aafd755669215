import type Docker from 'dockerode';
import type { Readable } from 'node:stream';
import { expecting } from '../progress/activity.ts';
import { lastOutput, readEngineMessages } from './engine-messages.ts';
import { ImageError } from './error.ts';
import { PullProgress } from './pull-progress.ts';

export type PullPolicy = 'missing' | 'never';

export interface ImagePin {
  readonly name: string;
  /** Null where the digest is not recorded: such an image can be used, but proves nothing about which one it is. */
  readonly digest: string | null;
}

export interface ResolvedImage {
  /** For the Engine: `name@digest` for a pin, the override as given otherwise. */
  readonly reference: string;
  /** As people write it. */
  readonly name: string;
  /** The image's id in the Engine's store. */
  readonly id: string;
  /** For a pin the repository digest that was verified. For any other image the one that the store knows or, where it never was in a registry, its id. */
  readonly digest: string;
  readonly architecture: string;
  readonly sizeBytes: number;
  /** True only for the pin itself, by its digest. */
  readonly isPinned: boolean;
}

/** Makes sure that an image is in the Engine's store and is the one that was asked for. */
export async function resolveImage(
  docker: Docker,
  pin: ImagePin,
  { override, pull, signal }: { readonly override: string | undefined; readonly pull: PullPolicy; readonly signal: AbortSignal },
): Promise<ResolvedImage> {
  const reference = override ?? (pin.digest === null ? pin.name : `${pin.name}@${pin.digest}`);
  const found = (await inspect(docker, reference)) ?? (await pullMissing(docker, reference, pull, signal));
  const digests = found.RepoDigests.map((entry) => entry.slice(entry.indexOf('@') + 1));
  if (override === undefined && pin.digest !== null && !digests.includes(pin.digest)) {
    throw new ImageError(
      'IMAGE_PIN_MISMATCH',
      `expected ${pin.name} with the digest ${pin.digest}; the local image ${found.Id} has ${digests.join(', ') || 'no repository digest'}. Remove it and pull again`,
    );
  }
  const isPinned = override === undefined && pin.digest !== null;
  return {
    reference,
    name: override ?? pin.name,
    id: found.Id,
    digest: isPinned ? pin.digest : (digests[0] ?? found.Id),
    architecture: found.Architecture,
    sizeBytes: found.Size,
    isPinned,
  };
}

async function pullMissing(docker: Docker, reference: string, pull: PullPolicy, signal: AbortSignal): Promise<Docker.ImageInspectInfo> {
  if (pull === 'never') throw new ImageError('IMAGE_NOT_FOUND', `${reference} is not in the local store and --pull=never forbids to fetch it: run \`docker pull ${reference}\`, or allow it with --pull=missing`);
  const { messages, failure } = await expecting({ expected: `the Engine to pull ${reference}` }, async (wait) => {
    const stream = await docker.pull(reference, { abortSignal: signal }).catch((error: Error) => {
      signal.throwIfAborted();
      throw pullFailed(reference, error.message, error);
    });
    const progress = new PullProgress();
    return await readEngineMessages(stream as Readable, signal, (message) => wait.saw(progress.hear(message)));
  });
  if (failure !== undefined) throw pullFailed(reference, `${failure}\n${lastOutput(messages, 3)}`);
  const found = await inspect(docker, reference);
  if (!found) throw pullFailed(reference, 'the Engine reported success, but the image is not in its store');
  return found;
}

function pullFailed(reference: string, reason: string, cause?: Error): ImageError {
  return new ImageError('IMAGE_PULL_FAILED', `${reference} could not be pulled: ${reason}`, cause ? { cause } : undefined);
}

async function inspect(docker: Docker, reference: string): Promise<Docker.ImageInspectInfo | undefined> {
  try {
    return await docker.getImage(reference).inspect();
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return undefined;
    throw error;
  }
}
