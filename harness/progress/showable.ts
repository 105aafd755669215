import { stripVTControlCharacters } from 'node:util';
import { secretIn } from '../../evidence/secret-patterns.ts';

const LONGEST = 2_000;
/** Orders to a terminal that carry a text, such as its title (ECMA-48, 8.3.89): up to BEL or ST. */
// eslint-disable-next-line no-control-regex
const STRINGS = /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g;

/**
 * A text from elsewhere (a log, a server's answer) as one line that does nothing to a terminal and gives no secret away:
 * without control characters, and without those that turn the order of writing around.
 */
export function showable(text: string): string {
  const secret = secretIn(text);
  if (secret !== null) return `(withheld: it holds ${secret})`;
  const line = stripVTControlCharacters(text.slice(0, LONGEST * 2).replaceAll(STRINGS, ''))
    .replaceAll(/\s*\n\s*/g, ' / ')
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, ' ')
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
