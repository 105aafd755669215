import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { heldRun } from '../run/testing/run-ends.ts';
import { commandThatAudits } from './next-commands.ts';
import { describeGates, describeSpans } from './summary.ts';

describe('the end screen', () => {
  test('of a rehearsal says that it is no release evidence; of a release it does not', () => {
    const told = /^This was a rehearsal: its report is no release evidence\.$/m;
    assert.match(describeGates(heldRun('embedded').derivation), told);
    assert.doesNotMatch(describeGates(heldRun('release').derivation), /rehearsal|no release evidence/);
  });

  test('says what idle is', () => assert.match(describeSpans(heldRun().spans), /, idle \(neither worked nor waited\) -?[\d.]+ s /));

  test('lets its reader audit what was written, as what it claims to be', () => {
    const audits = (given: Partial<Parameters<typeof commandThatAudits>[0]>): string => commandThatAudits({ reportPath: '/r/a.json', bundlePath: null, isRelease: true, ...given });
    assert.equal(audits({}), 'npx ql3-evidence audit --report=/r/a.json');
    assert.equal(audits({ bundlePath: '/r/a.tar' }), 'npx ql3-evidence audit --report=/r/a.json --bundle=/r/a.tar');
    assert.equal(audits({ isRelease: false }), 'npx ql3-evidence audit --profile=rehearsal --report=/r/a.json');
    assert.equal(audits({ reportPath: '/r/a b.json' }), "npx ql3-evidence audit --report='/r/a b.json'");
  });
});
