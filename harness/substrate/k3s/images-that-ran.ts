import type { CreatedContainer } from './node-events.ts';
import type { NodeImage } from './node-images.ts';

export interface ImageThatRan {
  readonly imageId: string;
  readonly names: readonly string[];
  /** Null when the runtime lists the image no more. */
  readonly manifestDigest: string | null;
  readonly containers: number;
}

/** The images that containers were made from, in the order of their first container, however the kubelet called them. */
export function imagesThatRan(created: readonly CreatedContainer[], listed: readonly NodeImage[]): readonly ImageThatRan[] {
  const ran = new Map<string, ImageThatRan>();
  for (const { image } of created) {
    const known = listed.find(({ imageId, names }) => imageId === image || names.includes(image));
    const imageId = known?.imageId ?? image;
    const { containers } = ran.get(imageId) ?? { containers: 0 };
    ran.set(imageId, { imageId, names: known?.names ?? [image], manifestDigest: known?.manifestDigest ?? null, containers: containers + 1 });
  }
  return [...ran.values()];
}
