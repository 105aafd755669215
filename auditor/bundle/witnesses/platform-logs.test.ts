import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Observation } from '../../../evidence/observation.ts';
import { completeRun } from '../../../evidence/testing/complete-run.ts';
import { platformLogFaults } from './platform-logs.ts';

const RUN = completeRun({ platform: 'embedded', treeClean: true });

/** The run as it would have been told so much later. */
function later(byMs: number): readonly Observation[] {
  const moved = (at: string): string => new Date(Date.parse(at) + byMs).toISOString();
  return RUN.map((each) => ({ ...each, at: moved(each.at), ...(each.kind === 'probe.result' ? { body: { ...each.body, startedAt: moved(each.body.startedAt), endedAt: moved(each.body.endedAt) } } : {}) }) as Observation);
}

function logOf(observations: readonly Observation[], prefixOf: (role: string) => string): string {
  return observations
    .flatMap((each) => {
      if (each.kind !== 'probe.result' || each.body.probe !== 'database-forbidden-statement') return [];
      const { role, statement } = each.body.facts as { role: string; statement: string };
      const refused = statement.toLowerCase().split(/\W+/).filter((word) => /^[a-z_]{3,}$/.test(word)).at(-1);
      return [`${JSON.stringify({ log: 'postgres.log', text: `${each.body.startedAt.replace('T', ' ').replace('Z', ' UTC')} [7] ${prefixOf(role)}ERROR:  permission denied for table ${refused}` })}\n`];
    })
    .join('');
}

test('who was refused is named by the database in every run since it was told to', () => {
  const [early, late] = [RUN, later(Date.UTC(2027, 0, 1) - Date.parse(RUN[0]?.at ?? ''))];
  const faultsOf = (run: readonly Observation[], prefixOf: (role: string) => string): number => platformLogFaults(logOf(run, prefixOf), run).length;
  assert.deepEqual([faultsOf(early, () => ''), faultsOf(early, (role) => `${role} `), faultsOf(late, (role) => `${role} `)], [0, 0, 0]);
  assert.equal(faultsOf(late, () => ''), RUN.filter((each) => each.kind === 'probe.result' && each.body.probe === 'database-forbidden-statement').length);
});
