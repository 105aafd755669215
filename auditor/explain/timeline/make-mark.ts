import type { Source } from '../../../evidence/verdict.ts';
import type { Look, Mark } from './mark.ts';

type Known = Omit<Mark, 'fromMs' | 'toMs' | 'seqs'> & { readonly seqs: Iterable<Source> };

/** A mark of what lasted; none when its beginning is not known. An end that is not known is open. */
export function span({ seqs, ...known }: Known & { readonly fromMs: number; readonly toMs: number }): Mark[] {
  const { fromMs } = known;
  const toMs = Number.isNaN(known.toMs) ? Number.POSITIVE_INFINITY : Math.max(fromMs, known.toMs);
  return Number.isFinite(fromMs) ? [{ ...known, toMs, seqs: numbersOf(seqs) }] : [];
}

/** A mark of what happened at once. */
export function moment({ atMs, seqs, ...known }: Known & { readonly atMs: number; readonly look: Extract<Look, 'dot' | 'square' | 'diamond' | 'tick' | 'cross' | 'number'> }): Mark[] {
  return Number.isFinite(atMs) ? [{ ...known, fromMs: atMs, toMs: atMs, seqs: numbersOf(seqs) }] : [];
}

function numbersOf(sources: Iterable<Source>): number[] {
  const found: number[] = [];
  for (const source of sources) if (source !== null && source !== undefined) found.push(source.seq);
  return [...new Set(found)].sort((left, right) => left - right);
}

/** Puts marks into as few rows as they need, in the order of their beginning. `room` is how long a mark keeps its row. */
export function intoRows(marks: readonly Mark[], room: (mark: Mark) => number = ({ toMs }) => toMs): Mark[][] {
  const rows: Mark[][] = [];
  for (const mark of marks.toSorted((left, right) => left.fromMs - right.fromMs)) {
    const free = rows.find((row) => room(row.at(-1) as Mark) < mark.fromMs);
    if (free === undefined) rows.push([mark]);
    else free.push(mark);
  }
  return rows;
}
