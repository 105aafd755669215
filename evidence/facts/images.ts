import { groupBy } from './group-by.ts';
import type { Component, ObservationOf } from '../observation.ts';
import { fact, type ObservedRun } from './observed-run.ts';

/** What was built, by component; a component that was built twice has no image that could be meant. */
export const builtImages = fact((run: ObservedRun): ReadonlyMap<Component, ObservationOf<'image.built'>> => {
  const groups = groupBy(run.of('image.built'), ({ body }) => body.component);
  return new Map([...groups].flatMap(([component, built]) => (built.length === 1 ? [[component, built[0] as ObservationOf<'image.built'>]] : [])));
});

/** Whether the image came from the very tree that the run says it is about. */
export function isFromSource(run: ObservedRun, image: ObservationOf<'image.built'> | undefined): boolean {
  const started = run.last('run.started')?.body;
  return image !== undefined && started !== undefined && image.body.sourceRevision === started.sourceRevision && image.body.treeDigest === started.treeDigest;
}
