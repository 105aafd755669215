import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openObservationLog, ObservationLogError } from './observation-log.ts';
import { parseObservations } from './read-observations.ts';
import { completeRun } from './testing/complete-run.ts';

describe('observation log', () => {
  let folder = '';
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ql3-log-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('reads back exactly what was recorded, from a private file', () => {
    const path = join(folder, 'observations.jsonl');
    using log = openObservationLog(path);
    for (const { kind, witness, subject, body } of completeRun()) log.record(kind, witness, subject, body);
    log.close();
    const { observations, faults } = parseObservations(readFileSync(path, 'utf8'));
    assert.deepEqual(faults, []);
    assert.deepEqual(observations, log.observations);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    log.copyTo(join(folder, 'copy.jsonl'));
    assert.equal(readFileSync(join(folder, 'copy.jsonl'), 'utf8'), readFileSync(path, 'utf8'));
  });

  it('numbers from 1 and refuses a second log of the same name', () => {
    const path = join(folder, 'observations.jsonl');
    using log = openObservationLog(path);
    assert.equal(log.record('run.step', 'harness', 'boot', { step: 'boot', state: 'started' }), 1);
    assert.equal(log.record('run.step', 'harness', 'boot', { step: 'boot', state: 'finished' }), 2);
    assert.throws(() => openObservationLog(path), { code: 'EEXIST' });
  });

  it('refuses a witness that may not speak, a secret, and anything after its end', () => {
    using log = openObservationLog(join(folder, 'observations.jsonl'));
    const code = (expected: string) => (error: unknown) => error instanceof ObservationLogError && error.code === expected;
    assert.throws(() => log.record('run.step', 'database', 'boot', { step: 'boot', state: 'started' }), code('OBSERVATION_WITNESS'));
    const line = { podUid: 'p', podName: 'p', container: 'c', index: 0, line: { token: `ql3w_live_generation_1_${'A'.repeat(43)}` } };
    assert.throws(() => log.record('process.line', 'process', 'p', line), (error: unknown) => code('OBSERVATION_SECRET')(error) && !String(error).includes('AAAA'));
    log.close();
    assert.throws(() => log.record('run.step', 'harness', 'boot', { step: 'boot', state: 'started' }), code('OBSERVATION_LOG_CLOSED'));
  });
});

describe('parseObservations', () => {
  const good = '{"seq":1,"at":"2026-01-15T10:00:00.000Z","offsetMs":0,"witness":"harness","kind":"run.step","subject":"boot","body":{"step":"boot","state":"started"}}';
  for (const [what, text, message] of [
    ['a line without its end', good, /cut off/],
    ['an unknown key', `${good.replace('"subject"', '"extra":1,"subject"')}\n`, /extra: expected no such key/],
    ['an unknown kind', `${good.replace('run.step', 'run.jump')}\n`, /kind: expected one of/],
    ['a body of another kind', `${good.replace('"boot","state"', '"nowhere","state"')}\n`, /body\.step: expected one of/],
    ['a key written twice', `${good.replace('"seq":1', '"seq":1,"seq":1')}\n`, /twice/],
    ['a Secret with its values', `${good.replace('run.step', 'api.object').replace('"harness"', '"api-read"').replace('{"step":"boot","state":"started"}', '{"object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"n","uid":"u","resourceVersion":"1"},"data":{"k":"dg=="}}}')}\n`, /no values of a Secret/],
    ['an empty line', `${good}\n\n`, /expected a value/],
  ] as const) {
    it(`has a fault for ${what}`, () => {
      const { faults } = parseObservations(text);
      assert.equal(faults.length, 1);
      assert.match(faults[0]?.message ?? '', message);
    });
  }
});
