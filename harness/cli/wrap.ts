import { displayWidth } from '../progress/display-width.ts';

/** Lines of at most so many columns, broken between words; a word that is longer has a line of its own. */
export function wrap(text: string, length: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || displayWidth(line) + 1 + displayWidth(word) > length) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
