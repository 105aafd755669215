import { writeNewFile } from '../../evidence/report-file.ts';
import { captionOf, stateIn } from './caption.ts';
import type { Explained } from './explain.ts';
import { drawAlone } from './picture/picture.ts';
import { renderPage } from './page/page.ts';

/** What cannot be drawn. */
export class NothingToDraw extends Error {}

/** A page for people, at a path that must not exist, mode 0600. */
export async function writePage(path: string, explained: Explained): Promise<void> {
  await writeNewFile(path, renderPage(explained));
}

/** The picture alone, under the same rules. */
export async function writePicture(path: string, explained: Explained): Promise<void> {
  await writeNewFile(path, renderPicture(explained));
}

export function renderPicture({ explanation, timeline }: Explained): string {
  if (timeline === null) {
    throw new NothingToDraw(explanation.source === 'report' ? 'expected a bundle or what a failed run has left: a report alone holds no times, so there is nothing to draw; give the bundle that was made with it' : 'expected something to draw, but the run ended before anything was seen');
  }
  return drawAlone(timeline, captionOf(explanation), stateIn(explanation));
}
