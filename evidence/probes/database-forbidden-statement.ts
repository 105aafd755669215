import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { probeResults } from '../facts/probe-results.ts';
import { DATABASE_ROLES } from '../identities.ts';
import { judged, rule } from '../verdict.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

/** Every role of the database was refused a statement beyond its grants, by PostgreSQL itself. */
export const databaseForbiddenStatement = judged((run: ObservedRun) => {
  const results = probeResults(run, 'database-forbidden-statement');
  return [
    ...Object.values(DATABASE_ROLES).map((role) => {
      const own = results.filter(({ facts }) => facts.role === role);
      return rule(`${role} was refused with ${INSUFFICIENT_PRIVILEGE}`, own.length === 1 && own.every(({ facts, outcome }) => facts.sqlState === INSUFFICIENT_PRIVILEGE && outcome === 'refused'), own);
    }),
    rule('one attempt was made after the other', results.every(({ window }, index) => window.fromMs + 3 * CLOCK_BOUND_MS >= (results[index - 1]?.window.toMs ?? -Infinity)), results),
  ];
});
