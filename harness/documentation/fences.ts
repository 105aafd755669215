/** A fenced code block of a Markdown file (CommonMark section 4.5, the part that the documents use: three or more backticks, no indent). */
export interface Fence {
  /** The first word after the backticks: `sh`, `console`, `json`, `text`. */
  readonly language: string;
  /** The rest of the info string: `step=images`. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  /** Of the opening line, from 1. */
  readonly line: number;
}

export function readFences(markdown: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open: { info: string; marker: string; line: number; text: string[] } | null = null;
  for (const [index, line] of markdown.split('\n').entries()) {
    if (open === null) {
      const [, marker, info] = /^(`{3,})([^`]*)$/.exec(line) ?? [];
      if (marker !== undefined) open = { info: info ?? '', marker, line: index + 1, text: [] };
    } else if (line.startsWith(open.marker) && line.trim() === open.marker) {
      const [language = '', ...rest] = open.info.trim().split(/\s+/);
      fences.push({ language, attributes: Object.fromEntries(rest.map(toPair)), text: open.text.join('\n'), line: open.line });
      open = null;
    } else open.text.push(line);
  }
  if (open !== null) throw new SyntaxError(`line ${open.line}: the code block is never closed`);
  return fences;
}

function toPair(word: string): [string, string] {
  const at = word.indexOf('=');
  return at < 0 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
}
