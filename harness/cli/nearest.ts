const LEAST_OF_LONG = 8;

/** The known word that is most like the given one, or null when none is like it: what somebody meant who mistyped. */
export function nearest(word: string, known: readonly string[]): string | null {
  const near = known
    .map((candidate) => ({ candidate, edits: isBeginning(word, candidate) ? 1 : Math.min(editsBetween(word, candidate), editsToBeginning(word, candidate)) }))
    .filter(({ candidate, edits }) => edits <= Math.round(Math.max(word.length, candidate.length) / 3))
    .toSorted((a, b) => a.edits - b.edits);
  return near[0]?.candidate ?? null;
}

function isBeginning(word: string, candidate: string): boolean {
  return word.length >= 2 && candidate.startsWith(word);
}

/** Of a long name somebody types the beginning, and mistypes that. */
function editsToBeginning(word: string, candidate: string): number {
  const edits = editsBetween(word, candidate.slice(0, word.length));
  return word.length >= LEAST_OF_LONG && edits <= word.length / 4 ? edits + 1 : Infinity;
}

/** Letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  let [before, last]: [readonly number[], readonly number[]] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line.push(Math.min(at(last, column) + 1, at(line, column - 1) + 1, at(last, column - 1) + same, swapped ? at(before, column - 2) + 1 : Infinity));
    }
    [before, last] = [last, line];
  }
  return at(last, b.length);
}

function at(line: readonly number[], column: number): number {
  return line[column] ?? Infinity;
}
