import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { auditReport } from '../../auditor/audit-report.ts';
import { auditObservations } from '../../auditor/observations/audit-observations.ts';
import { deriveReport } from '../../evidence/derive.ts';
import { GATE_NAMES } from '../../evidence/gate-names.ts';
import type { Observation } from '../../evidence/observation.ts';
import { parseObservations } from '../../evidence/read-observations.ts';
import { completeRun } from '../../evidence/testing/complete-run.ts';
import { namesIn } from './catch.ts';
import { textOf, type Forgery } from './log-lie.ts';
import { LOG_LIES } from './log-lies/all-log-lies.ts';
import { tellLogLie } from './tell-log-lie.ts';
import { TREE_LIES } from './tree-lies/all-tree-lies.ts';

const DAY_MS = 86_400_000;
const OBSERVATIONS = completeRun({ platform: 'embedded', treeClean: true });
/** The same story a day later, with ids of its own. */
const ANOTHER = anotherRun(OBSERVATIONS);

function anotherRun(observations: readonly Observation[]): readonly Observation[] {
  const text = textOf(observations)
    .replaceAll('00000000-0000-4000-8000-', '00000000-0000-4000-9000-')
    .replaceAll('01900000-0000-7000-8000-', '01900000-0000-7000-9000-')
    .replaceAll('2026-01-15T', '2026-01-16T')
    .replace(/("[a-z_]+_at_ms":"?)(\d{13})/g, (_, key: string, ms: string) => key + String(Number(ms) + DAY_MS));
  return parseObservations(text).observations;
}

function ask(log: Forgery['log'], report: unknown): ReadonlySet<string> {
  const text = textOf(log);
  const told: unknown = report ?? JSON.parse(JSON.stringify(deriveReport(parseObservations(text).observations).report));
  const { findings } = auditReport(told, { profile: 'rehearsal', now: new Date('2026-03-01T00:00:00.000Z'), sourceCommittedAt: null });
  return namesIn([...findings, ...auditObservations(text, told)]);
}

describe('lies in a log', () => {
  it('are told about runs of which the auditor finds nothing', () => {
    assert.deepEqual([...ask(OBSERVATIONS, null)], []);
    assert.equal(ANOTHER.length, OBSERVATIONS.length);
    assert.ok(!ask(ANOTHER, null).has('BUNDLE_INTEGRITY'));
  });

  for (const lie of LOG_LIES) {
    it(`${lie.name}: ${lie.pretends}`, async () => {
      const { verdict, found } = await tellLogLie(lie, { observations: OBSERVATIONS, another: ANOTHER }, ask);
      assert.equal(verdict, null, `${verdict}; found ${found.join(', ')}`);
    });
  }

  it('have a name of their own each', () => assert.equal(new Set(LOG_LIES.map(({ name }) => name)).size, LOG_LIES.length));
});

describe('the suite', () => {
  const caught = new Set<string>([...LOG_LIES, ...TREE_LIES].flatMap(({ caughtBy }) => caughtBy));
  const report = JSON.parse(readFileSync(new URL('../../evidence/fixtures/report-v2-release.json', import.meta.url), 'utf8')) as Record<string, Record<string, unknown>>;

  for (const gate of GATE_NAMES) it(`lies about gate ${gate}`, () => assert.ok(caught.has(`gates.${gate}`)));

  const booleans = Object.entries(report).flatMap(([section, fields]) => (section === 'gates' || typeof fields !== 'object' || fields === null ? [] : Object.entries(fields).filter(([, value]) => typeof value === 'boolean').map(([field]) => `${section}.${field}`)));
  for (const path of booleans) it(`lies about ${path}`, () => assert.ok(caught.has(path)));
});
