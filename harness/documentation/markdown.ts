import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { anchorOf } from './generated-file.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Every Markdown file of the repository, from its root. */
export function markdownFiles(): readonly string[] {
  const listing = ['-c', `safe.directory=${root.replace(/\/$/, '')}`, 'ls-files', '--cached', '--others', '--exclude-standard', '--', '*.md'];
  return execFileSync('git', listing, { cwd: root, encoding: 'utf8' }).split('\n').filter((path) => path !== '' && existsSync(`${root}${path}`));
}

export function readMarkdown(path: string): string {
  return readFileSync(`${root}${path}`, 'utf8');
}

/** Headings with their level, in order; those inside code blocks are none. */
export function headingsOf(markdown: string): readonly { readonly level: number; readonly text: string }[] {
  return [...withoutFences(markdown).matchAll(/^(#{1,6}) (.+)$/gm)].map(([, marks, text]) => ({ level: (marks as string).length, text: (text as string).trim() }));
}

/** As GitHub makes them: a repeated heading gets a number. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = headingsOf(markdown).map(({ text }) => {
    const anchor = anchorOf(text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
  return new Set(anchors);
}

/** Targets of links and pictures, outside of code. */
export function linksOf(markdown: string): readonly string[] {
  const prose = withoutFences(markdown).replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string);
}

export interface Table {
  readonly columns: number;
  /** The cells of the first column. */
  readonly keys: readonly string[];
}

export function tablesOf(markdown: string): readonly Table[] {
  const blocks = withoutFences(markdown).match(/(?:^\|.*\|$\n?)+/gm) ?? [];
  return blocks.map((block) => {
    const rows = block.trimEnd().split('\n').map((row) => row.slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim()));
    return { columns: rows[0]?.length ?? 0, keys: rows.slice(2).map(([key]) => key ?? '') };
  });
}

function withoutFences(markdown: string): string {
  return markdown.replace(/^(`{3,})[^\n]*\n[^]*?^\1$/gm, '').replace(/<!--[^]*?-->/g, '');
}
