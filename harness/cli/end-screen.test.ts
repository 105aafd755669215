import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failedRun, heldRun } from '../run/testing/run-ends.ts';
import { commandThatAudits } from './next-commands.ts';
import { describeSpans, describeVerdict } from './summary.ts';

describe('the end screen', () => {
  test('of a rehearsal says that it is no release evidence; of a release it does not', () => {
    const told = /^This was a rehearsal: its report is no release evidence\.$/m;
    assert.match(describeVerdict(heldRun('embedded').derivation), told);
    assert.doesNotMatch(describeVerdict(heldRun('release').derivation), /rehearsal|no release evidence/);
  });

  test('gives its verdict on a line of its own, by a word, and emphasizes that line alone', () => {
    const marked = (derivation: Parameters<typeof describeVerdict>[0]): string[] => describeVerdict(derivation, { emphasis: (text, how) => `<${how}>${text}</${how}>` }).split('\n');
    assert.deepEqual(marked(heldRun('release').derivation), ['', '<good>HELD: 21 of 21 gates, 20 of 20 probes</good>']);
    const [, verdict, missing] = marked(heldRun('embedded').derivation);
    assert.deepEqual([verdict, missing], ['<good>HELD: 18 of 21 gates, 18 of 20 probes</good>', 'what this platform cannot prove, and the report does not claim: realKubernetesApi, executorJobExactNetworkEgress, passed, egress-inside, egress-outside']);
    const { derivation } = failedRun();
    assert.ok(derivation !== null);
    assert.match(marked(derivation)[1] ?? '', /^<bad>NOT HELD: \d+ of 21 gates, 19 of 20 probes<\/bad>$/);
  });

  test('says what idle is', () => assert.match(describeSpans(heldRun().spans), /, idle \(neither worked nor waited\) -?[\d.]+ s /));

  test('lets its reader audit what was written, as what it claims to be', () => {
    const audits = (given: Partial<Parameters<typeof commandThatAudits>[0]>): string => commandThatAudits({ reportPath: '/r/a.json', bundlePath: null, isRelease: true, isSigned: false, ...given });
    assert.equal(audits({}), 'npx ql3-evidence audit --report=/r/a.json');
    assert.equal(audits({ bundlePath: '/r/a.tar' }), 'npx ql3-evidence audit --report=/r/a.json --bundle=/r/a.tar');
    assert.equal(audits({ bundlePath: '/r/a.tar', isSigned: true }), 'npx ql3-evidence audit --report=/r/a.json --bundle=/r/a.tar --public-key=PUBLIC_KEY.pem');
    assert.equal(audits({ isRelease: false }), 'npx ql3-evidence audit --profile=rehearsal --report=/r/a.json');
    assert.equal(audits({ reportPath: '/r/a b.json' }), "npx ql3-evidence audit --report='/r/a b.json'");
  });
});
