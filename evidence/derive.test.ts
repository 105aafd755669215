import Ajv from 'ajv';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deriveReport } from './derive.ts';
import { rehearsalReport, releaseReport } from './report.ts';
import { faultsOf } from './shape.ts';
import { completeRun } from './testing/complete-run.ts';
import { alter, drop, setWitness } from './testing/lies.ts';

const ajv = new Ajv.default({ strict: false });

describe('deriveReport', () => {
  it('makes release evidence of a run on the pinned pair from a clean tree', () => {
    const { report, problems } = deriveReport(completeRun());
    assert.deepEqual(problems, []);
    assert.deepEqual(faultsOf(releaseReport, report), []);
    assert.equal(ajv.validate(releaseReport.schema, report), true);
    assert.equal(report.gates.passed, true);
    assert.equal(report.limitations.length, 4);
  });

  it('makes a rehearsal of a run on other images, with nothing unproven', () => {
    const { report, problems } = deriveReport(completeRun({ platform: 'other-images', treeClean: true }));
    assert.deepEqual(problems, []);
    assert.deepEqual(faultsOf(rehearsalReport, report), []);
    assert.deepEqual('unproven' in report && report.unproven, []);
    assert.equal(report.kubernetes.distribution, 'kubernetes');
    assert.equal(report.gates.passed, true);
  });

  it('makes a rehearsal of an embedded run, and owns up to what that cannot prove', () => {
    const { report, problems } = deriveReport(completeRun({ platform: 'embedded', treeClean: false }));
    assert.deepEqual(problems, []);
    assert.deepEqual(faultsOf(rehearsalReport, report), []);
    assert.equal(ajv.validate(rehearsalReport.schema, report), true);
    const unproven = 'unproven' in report ? report.unproven : [];
    assert.deepEqual(unproven, ['realKubernetesApi', 'executorJobExactNetworkEgress', 'passed']);
    for (const [name, holds] of Object.entries(report.gates)) assert.equal(holds, !unproven.includes(name as never), name);
    assert.equal(report.limitations.length, 11);
  });

  for (const [what, lie] of [
    ['the tree was not clean', alter('run.started', () => true, (body) => ({ ...body, treeClean: false }))],
    ['the cluster has another digest', alter('platform.cluster', () => true, (body) => ({ ...body, imageDigest: `sha256:${'0'.repeat(64)}` }))],
    ['the database has another digest', alter('platform.database-container', () => true, (body) => ({ ...body, imageDigest: `sha256:${'0'.repeat(64)}` }))],
    ['an image was built from another base', alter('image.built', ({ component }) => component === 'control', (body) => ({ ...body, baseImage: `ql3-node-base:24@sha256:${'6'.repeat(64)}` }))],
    ['a base is named without a digest', alter('image.built', ({ component }) => component === 'worker', (body) => ({ ...body, baseImage: 'node:24.18.0-bookworm-slim' }))],
    ['the harness itself vouches for the database', setWitness('platform.database-container', 'harness')],
  ] as const) {
    it(`makes no release evidence when ${what}`, () => {
      assert.equal(deriveReport(lie(completeRun())).report.fixture, 'qinglong/worker-kubernetes-rollout-rehearsal@v2');
    });
  }

  it('has problems with a log that was cut, has a gap, a foreign witness, or time that runs backwards', () => {
    const run = completeRun();
    const problemsOf = (observations: typeof run): string => deriveReport(observations).problems.join('\n');
    assert.match(problemsOf(run.slice(0, -1)), /observation log: .*run\.finished/);
    assert.match(problemsOf(run.filter(({ seq }) => seq !== 20)), /observation log: .*without a gap/);
    assert.match(problemsOf(setWitness('api.audit', 'harness')(run)), /observation log: .*not told by harness/);
    assert.match(problemsOf(run.map((each) => (each.seq === 30 ? { ...each, at: '2020-01-01T00:00:00.000Z' } : each))), /observation log: .*wall clock/);
    assert.match(problemsOf(run.map((each) => (each.seq === 30 ? { ...each, offsetMs: 0 } : each))), /observation log: .*monotonic/);
    assert.match(problemsOf(drop('run.started')(run)), /observation log: .*one run\.started/);
  });
});
