import { BUNDLE_LAYOUT } from '../../../evidence/bundle-layout.ts';
import { runLogLine } from '../../../evidence/bundle-parts.ts';
import { readLines } from '../canonical-text.ts';

/** For people; nothing rests on it, so only its shape is asked for. */
export function runLogFaults(text: string): readonly string[] {
  return readLines(BUNDLE_LAYOUT.runLog.path, text, runLogLine).faults;
}
