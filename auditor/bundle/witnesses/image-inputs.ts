import { BUNDLE_LAYOUT } from '../../../evidence/bundle-layout.ts';
import { imageInputsOf } from '../../../evidence/image-inputs.ts';
import type { Observation } from '../../../evidence/observation.ts';

/** Are the inputs of the images those that were observed when they were built? */
export function imageInputFaults(text: string, observations: readonly Observation[]): string[] {
  return text === imageInputsOf(observations) ? [] : [`${BUNDLE_LAYOUT.imageInputs.path}: the observations say otherwise of what the images were built from`];
}
