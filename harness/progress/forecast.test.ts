import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Task } from './activity.ts';
import { keepDurations, readDurations, type PastRun } from './durations.ts';
import { Forecast } from './forecast.ts';

const task = (name: string, startedMs: number): Task => ({ name, parent: null, startedMs, endedMs: null, hasFailed: false });
const past: PastRun = { totalMs: 60_000, steps: { boot: { startMs: 0, endMs: 10_000 }, 'generation-1': { startMs: 10_000, endMs: 30_000 } } };

describe('how long a run takes yet', () => {
  test('is not told when no run is known', () => assert.equal(new Forecast([]).remainingMs({ tasks: [], elapsedMs: 5_000 }), null));

  test('is counted from the step that goes on, however late that began', () => {
    const forecast = new Forecast([past]);
    assert.equal(forecast.totalMs, 60_000);
    assert.equal(forecast.remainingMs({ tasks: [], elapsedMs: 5_000 }), 55_000);
    assert.equal(forecast.remainingMs({ tasks: [task('step boot', 0), task('step generation-1', 40_000)], elapsedMs: 45_000 }), 45_000);
    assert.equal(forecast.remainingMs({ tasks: [task('step generation-1', 40_000)], elapsedMs: 400_000 }), 30_000, 'a step that takes too long leaves what comes after it');
  });

  test('is the median of the runs that are known, so that one odd run does not count', () => {
    const odd = { ...past, totalMs: 600_000 };
    assert.equal(new Forecast([past, odd, { ...past, totalMs: 62_000 }]).totalMs, 62_000);
  });
});

describe('what earlier runs took', () => {
  let folder = '';
  let file = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ql3-durations-'));
    file = join(folder, 'state', 'durations.json');
  });
  after(() => rmSync(folder, { recursive: true }));

  const spans = [
    { name: 'step boot', startMs: 1.4, endMs: 10.2 },
    { name: 'probe self-approval', startMs: 2, endMs: 3 },
  ];

  test('is kept for each substrate, the latest five runs, in a private file', () => {
    for (let run = 1; run <= 7; run += 1) keepDurations('embedded', { totalMs: run * 1_000, spans }, file);
    assert.deepEqual(readDurations('embedded', file).map(({ totalMs }) => totalMs), [3_000, 4_000, 5_000, 6_000, 7_000]);
    assert.deepEqual(readDurations('embedded', file)[0]?.steps, { boot: { startMs: 1, endMs: 10 } });
    assert.deepEqual(readDurations('k3s', file), []);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, 'state')).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(join(folder, 'state')), ['durations.json']);
  });

  for (const [name, content] of [
    ['no JSON', '{"schemaVersion":1'],
    ['another shape', '{"schemaVersion":1,"embedded":[{"totalMs":"long","steps":{}}],"k3s":[]}'],
    ['a step that there is not', '{"schemaVersion":1,"embedded":[{"totalMs":9,"steps":{"x":{"startMs":0,"endMs":1}}}],"k3s":[]}'],
    ['times that cannot be', '{"schemaVersion":1,"embedded":[{"totalMs":9,"steps":{"boot":{"startMs":5,"endMs":1}}}],"k3s":[]}'],
    ['more than it may hold', `{"schemaVersion":1,"embedded":[],"k3s":[]}${' '.repeat(70_000)}`],
    ['nothing', ''],
  ] as const) {
    test(`with ${name} in its file is as good as none, and the next run is kept`, () => {
      writeFileSync(file, content);
      assert.deepEqual(readDurations('embedded', file), []);
      keepDurations('embedded', { totalMs: 5_000, spans }, file);
      assert.equal(readDurations('embedded', file).length, 1);
    });
  }

  test('is not read through a link or from a folder, and what cannot be written is done without', () => {
    const elsewhere = join(folder, 'elsewhere.json');
    keepDurations('embedded', { totalMs: 5_000, spans }, elsewhere);
    const content = readFileSync(elsewhere, 'utf8');
    symlinkSync(elsewhere, join(folder, 'link.json'));
    assert.deepEqual(readDurations('embedded', join(folder, 'link.json')), []);
    assert.deepEqual(readDurations('embedded', folder), []);
    mkdirSync(join(folder, 'taken.json'));
    keepDurations('embedded', { totalMs: 5_000, spans }, join(folder, 'taken.json'));
    chmodSync(elsewhere, 0o600);
    assert.equal(readFileSync(elsewhere, 'utf8'), content);
    assert.deepEqual(readdirSync(folder).sort(), ['elsewhere.json', 'link.json', 'state', 'taken.json']);
  });
});
