/** One lie and what became of it. */
export interface Row {
  readonly lie: string;
  readonly told: 'tree' | 'log';
  readonly expected: readonly string[];
  /** Everything that the audit names. */
  readonly found: readonly string[];
  /** Null when it was caught as it should be. */
  readonly verdict: string | null;
}

const WIDTHS = { lie: 44, told: 5 } as const;

export function renderRow({ lie, told, expected, found, verdict }: Row): string {
  const others = found.filter((name) => !expected.includes(name)).length;
  const caught = expected.filter((name) => found.includes(name));
  const lines = [`${lie.padEnd(WIDTHS.lie)} ${told.padEnd(WIDTHS.told)} ${verdict === null ? 'caught' : 'NOT CAUGHT'}`, `    expected ${expected.join(', ')}`, `    caught by ${caught.join(', ') || 'none of them'}${others > 0 ? `, and ${others} more` : ''}`];
  return [...lines, ...(verdict === null ? [] : [`    ${verdict}`])].join('\n');
}

export function renderSummary(rows: readonly Row[]): string {
  const failed = rows.filter(({ verdict }) => verdict !== null);
  const told = (how: Row['told']): number => rows.filter((row) => row.told === how).length;
  return `${rows.length} lies (${told('tree')} by another tree, ${told('log')} in a log), ${rows.length - failed.length} caught by what should catch them${failed.length > 0 ? `; not so: ${failed.map(({ lie }) => lie).join(', ')}` : ''}`;
}
