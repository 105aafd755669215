import { REHEARSAL_FIXTURE, RELEASE_FIXTURE } from '../../evidence/pins.ts';
import { rehearsalReport, releaseReport, type Report } from '../../evidence/report.ts';
import { faultsOf, isObject } from '../../evidence/shape.ts';
import type { Profile } from './question.ts';

export type Shaped = { readonly report: Report; readonly faults: readonly [] } | { readonly report: null; readonly faults: readonly string[]; readonly faultPaths: readonly string[] };

/** Has it exactly the keys and kinds of values of the report that it says it is? Without a known fixture, of the one that was asked for. */
export function readShape(value: unknown, profile: Profile): Shaped {
  const fixture = fixtureOf(value) ?? (profile === 'release' ? RELEASE_FIXTURE : REHEARSAL_FIXTURE);
  const faults = faultsOf(fixture === RELEASE_FIXTURE ? releaseReport : rehearsalReport, value);
  if (faults.length === 0) return { report: value as Report, faults: [] };
  return { report: null, faultPaths: faults.map(({ path }) => path), faults: faults.map(({ path, expected, got }) => `${path.slice(0, 200)}: expected ${expected}, got ${got}`) };
}

export function fixtureOf(value: unknown): string | null {
  const fixture = isObject(value) ? value['fixture'] : null;
  return fixture === RELEASE_FIXTURE || fixture === REHEARSAL_FIXTURE ? fixture : null;
}
