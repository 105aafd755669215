import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deriveReport } from './derive.ts';
import { PROBE_NAMES } from './contract-names.ts';
import { DELIVERY, HOST_ISSUER, JOB_ISSUER, PROBE_DELIVERY, RECOVERY_ISSUER } from './identities.ts';
import { instantMs } from './instants.ts';
import type { Observation, ObservationOf } from './observation.ts';
import { completeRun } from './testing/complete-run.ts';
import { renumber } from './testing/story.ts';

const SECOND_MS = 1000;

/** The same run on a machine that stands still for so long after every second: what Kubernetes tells in whole seconds stays right. */
function stalling(run: readonly Observation[], stallMs: number): Observation[] {
  const beginMs = Math.floor(instantMs(run[0]?.at) / SECOND_MS) * SECOND_MS;
  const later = (ms: number): number => ms + Math.floor((ms - beginMs) / SECOND_MS) * stallMs;
  const moved = (text: string): string =>
    text
      .replaceAll(/"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)((?:\.\d+)?Z)"/g, (_, second: string, rest: string) => `"${new Date(later(Date.parse(`${second}Z`))).toISOString().slice(0, -5)}${rest}"`)
      .replaceAll(/\b\d{13}\b/g, (ms) => String(later(Number(ms))));
  return run.map((each) => ({ ...(JSON.parse(moved(JSON.stringify(each))) as Observation), offsetMs: later(beginMs + each.offsetMs) - beginMs }));
}

/** They do what they do once, whatever the answer: nobody may ask in their name twice. */
const ASK_ONCE = new Set([DELIVERY, HOST_ISSUER, JOB_ISSUER, RECOVERY_ISSUER, PROBE_DELIVERY, PROBE_NAMES.issuerUser, PROBE_NAMES.recoveryUser]);

/** Everybody else is turned away once before each request, and asks again. */
function turningAway(run: readonly Observation[], code: number): Observation[] {
  const mayAskAgain = (each: Observation): each is ObservationOf<'api.audit'> => each.kind === 'api.audit' && !ASK_ONCE.has(each.body.impersonatedUser ?? each.body.user);
  return renumber(run.flatMap((each): Observation[] => (mayAskAgain(each) ? [{ ...each, body: { ...each.body, auditId: `${each.body.auditId}-${code}`, code } }, each] : [each])));
}

describe('a run on a busy machine', () => {
  for (const platform of ['release', 'embedded'] as const) {
    const run = completeRun({ platform, treeClean: true });

    it(`holds on ${platform} when the machine stands still for 9 s after every second`, () => assert.deepEqual(deriveReport(stalling(run, 9 * SECOND_MS)).problems, []));
    for (const code of [409, 429, 500, 504]) {
      it(`holds on ${platform} when the API server turns everybody away once with ${code} who may ask again`, () => assert.deepEqual(deriveReport(turningAway(run, code)).problems, []));
    }
  }
});
