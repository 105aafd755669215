import type Docker from 'dockerode';
import { ImageError } from '../../images/error.ts';
import type { PullPolicy } from '../../images/resolve-image.ts';
import { OVERRIDES, referenceOf, resolvePlatformImage, type PlatformImage } from '../../substrate/k3s/platform-images.ts';
import { failed, ok, skipped, warning, type Check, type Finding } from '../check.ts';
import { ofEngine } from '../engine.ts';
import { askRegistry } from '../registry.ts';

const STORED = 'the pinned images, or those named instead of them, in the local store by digest';
const REACHED = 'the Engine to reach the registry of the pinned images';

export interface ImagePresence {
  readonly reference: string;
  readonly state: 'there' | 'missing' | 'there with another digest';
}

export const images: Check = {
  name: 'images',
  substrate: 'k3s',
  reason: 'a run stands on exactly these; what is missing is pulled first, unless --pull=never',
  examine: (examination) =>
    ofEngine(examination, STORED, async ({ connection: { docker } }) => {
      const [presences, unreachable] = await Promise.all([lookForImages(docker, examination.signal), examination.pull === 'never' ? null : askRegistry(docker)]);
      return [
        { ...judgeImages(presences, examination.pull, unreachable), of: 'store' },
        { ...(examination.pull === 'never' ? skipped('not asked, since nothing is to be pulled', REACHED) : judgeRegistry(unreachable)), of: 'registry' },
      ];
    }),
};

/** Without the registry, which a run that may pull asks soon enough. */
export const storedImages: Check = {
  name: 'images',
  substrate: 'k3s',
  reason: images.reason,
  examine: (examination) => ofEngine(examination, STORED, async ({ connection: { docker } }) => judgeImages(await lookForImages(docker, examination.signal), examination.pull, null)),
};

async function lookForImages(docker: Docker, signal: AbortSignal): Promise<readonly ImagePresence[]> {
  return await Promise.all((Object.keys(OVERRIDES) as PlatformImage[]).map(async (image) => ({ reference: referenceOf(image), state: await presenceOf(docker, image, signal) })));
}

async function presenceOf(docker: Docker, image: PlatformImage, signal: AbortSignal): Promise<ImagePresence['state']> {
  try {
    await resolvePlatformImage(docker, image, 'never', signal);
    return 'there';
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (!(cause instanceof ImageError)) throw error;
    return cause.code === 'IMAGE_NOT_FOUND' ? 'missing' : 'there with another digest';
  }
}

/** All that is missing at once, each with the command that fetches it. `unreachable` says why none can be fetched now. */
export function judgeImages(presences: readonly ImagePresence[], pull: PullPolicy, unreachable: string | null): Finding {
  const found = presences.map(({ reference, state }) => `${reference} is ${state}`).join('\n');
  const inTheWay = presences.filter(({ state }) => state === 'there with another digest').map(({ reference }) => `docker image rm ${reference}`);
  const pulls = presences.filter(({ state }) => state !== 'there').map(({ reference }) => `docker pull ${reference}`);
  const cure = [...inTheWay, ...pulls].join('\n');
  if (pulls.length === 0) return ok(found, STORED);
  if (pull === 'never' || inTheWay.length > 0) return failed(found, STORED, cure);
  if (unreachable !== null) return failed(found, STORED, `connect to the registry, then:\n${cure}\nor name other images with ${Object.values(OVERRIDES).join(', ')}, for a rehearsal`);
  return warning(found, STORED, `nothing, since a run pulls what is missing; to have it beforehand:\n${cure}`);
}

export function judgeRegistry(unreachable: string | null): Finding {
  if (unreachable === null) return ok('the registry answers, and knows the pinned K3s', REACHED);
  return warning(`the registry cannot be reached: ${unreachable}`, REACHED, 'where every image is in the local store, run with --pull=never');
}
