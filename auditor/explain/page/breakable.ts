import { element, type Child } from '../picture/markup.ts';

const LONG = /(\w{16,})/;
const WITHIN = /(?<=_)(?=\w)|(?<=[a-z\d])(?=[A-Z])/;

/** A text whose long names (of a gate, a table, a code) may go on in the next line where a word of them begins, and nowhere else as long as that does. */
export function breakable(text: string): Child {
  return text.split(LONG).map((part, index) => (index % 2 === 0 ? part : part.split(WITHIN).map((word, at) => (at === 0 ? word : [element('wbr'), word]))));
}
