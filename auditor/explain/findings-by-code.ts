import type { Finding } from '../findings.ts';

export interface FindingsOfCode {
  readonly code: string;
  readonly count: number;
  /** The first of them. */
  readonly details: readonly string[];
}

/** What the auditor finds, each code once: one damage can have hundreds of consequences. */
export function findingsByCode(findings: readonly Finding[], most: number): readonly FindingsOfCode[] {
  const codes = [...new Set(findings.map(({ code }) => code))];
  return codes.map((code) => {
    const own = findings.filter((each) => each.code === code);
    return { code, count: own.length, details: own.slice(0, most).map(({ detail }) => detail) };
  });
}
