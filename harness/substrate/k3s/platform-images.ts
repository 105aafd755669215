import type Docker from 'dockerode';
import { PINNED_BASE_IMAGE, PINNED_IMAGES } from '../../../evidence/pins.ts';
import { NODE_IMAGE_VARIABLE } from '../../images/pins.ts';
import { resolveImage, type PullPolicy, type ResolvedImage } from '../../images/resolve-image.ts';
import { ImageError } from '../../images/error.ts';
import { SubstrateError } from './substrate-error.ts';

/** Each names another image in the place of a pin, and makes the run a rehearsal. */
export const OVERRIDES = { k3s: 'QL3_K3S_IMAGE', postgres: 'QL3_POSTGRES_IMAGE', node: NODE_IMAGE_VARIABLE } as const;

const PINS = { ...PINNED_IMAGES, node: PINNED_BASE_IMAGE } as const;
export type PlatformImage = keyof typeof PINS;

/** What the Engine is asked for: the override, or the pin by its digest. */
export function referenceOf(image: PlatformImage, environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { name, digest } = PINS[image];
  return environment[OVERRIDES[image]] || (digest === null ? name : `${name}@${digest}`);
}

export async function resolvePlatformImage(docker: Docker, image: PlatformImage, pull: PullPolicy, signal: AbortSignal): Promise<ResolvedImage> {
  try {
    return await resolveImage(docker, PINS[image], { override: process.env[OVERRIDES[image]] || undefined, pull, signal });
  } catch (error) {
    if (error instanceof ImageError) throw new SubstrateError('IMAGE_UNAVAILABLE', `${error.code}: ${error.message}; ${OVERRIDES[image]} can name another image, for a rehearsal`, { cause: error });
    throw error;
  }
}

/** True when no pin is overridden: such a run means to be release evidence. */
export function usesPinsOnly(): boolean {
  return Object.values(OVERRIDES).every((variable) => !process.env[variable]);
}

/**
 * K3s runs images of its own, which it would pull by tag when it starts. Those of the ones it needs here that are in the
 * Engine's store are put on the node, so that a run does not depend on a registry.
 */
const OWN_IMAGES = ['rancher/mirrored-pause', 'rancher/mirrored-coredns-coredns', 'rancher/local-path-provisioner', 'rancher/mirrored-library-busybox'];

export async function ownImagesInStore(docker: Docker): Promise<readonly { readonly tag: string; readonly id: string }[]> {
  const images = await docker.listImages();
  return images.flatMap(({ Id, RepoTags }) => (RepoTags ?? []).filter((tag) => OWN_IMAGES.includes(tag.slice(0, tag.lastIndexOf(':')))).map((tag) => ({ tag, id: Id })));
}
