import { canonicalJson } from './canonical-json.ts';
import type { Observation } from './observation.ts';

/** What was observed of the building of each image, as the text of the bundle's part. */
export function imageInputsOf(observations: readonly Observation[]): string {
  return `${canonicalJson({ schemaVersion: 1, images: observations.filter(({ kind }) => kind === 'image.built').map(({ body }) => body) })}\n`;
}
