import type { Component } from '../../evidence/observation.ts';
import { COMPONENTS } from '../images/components.ts';
import { OVERRIDES, referenceOf, type PlatformImage } from '../substrate/k3s/platform-images.ts';
import type { SubstrateKind } from '../substrate/substrate.ts';
import { imageNameOf } from './planned-values.ts';

export interface PlannedImage {
  readonly role: PlatformImage | Component;
  /** What is asked for, or what it will be called. */
  readonly name: string;
  readonly from: 'the pin' | 'an override' | 'the source';
  /** Of an override or a pin, the variable that changes it; of an image from the source its folder. */
  readonly where: string;
}

/** What a run would stand on and build. */
export function planImages(substrate: SubstrateKind, environment: Readonly<Record<string, string | undefined>>): readonly PlannedImage[] {
  const platform = (Object.keys(OVERRIDES) as PlatformImage[]).map((role): PlannedImage => ({ role, name: referenceOf(role, environment), from: environment[OVERRIDES[role]] ? 'an override' : 'the pin', where: OVERRIDES[role] }));
  const product = Object.values(COMPONENTS).map(({ component, repository, folder }): PlannedImage => ({ role: component, name: imageNameOf(substrate, repository), from: 'the source', where: folder }));
  return [...(substrate === 'k3s' ? platform : []), ...product];
}
