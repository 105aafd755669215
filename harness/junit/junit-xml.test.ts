import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { GATE_NAMES } from '../../evidence/gate-names.ts';
import { PROBE_IDS } from '../../evidence/observation.ts';
import { FAILURE, failedRun, heldRun } from '../run/testing/run-ends.ts';
import { suitesOfAudit, type Explained } from './audit-suites.ts';
import { junitXml, type JudgedSuite } from './junit-xml.ts';
import { suitesOfRun } from './run-suites.ts';

const XSD = fileURLToPath(new URL('testing/junit.xsd', import.meta.url));
const hasXmllint = spawnSync('xmllint', ['--version']).error === undefined;

function assertValid(xml: string): void {
  const { status, stderr } = spawnSync('xmllint', ['--noout', '--nonet', '--schema', XSD, '-'], { input: xml, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

/** What a reader of the file gets: by XPath, as XML says it. */
function read(xml: string, xpath: string): string {
  return spawnSync('xmllint', ['--nonet', '--xpath', `string(${xpath})`, '-'], { input: xml, encoding: 'utf8' }).stdout.replace(/\n$/, '');
}

describe('JUnit XML', { skip: !hasXmllint && 'needs xmllint' }, () => {
  test('has a testcase for each gate and probe of a run that held', () => {
    const xml = junitXml(suitesOfRun(heldRun()));
    assertValid(xml);
    assert.equal(read(xml, 'count(//testcase[@classname="gates"])'), String(GATE_NAMES.length));
    assert.equal(read(xml, 'count(//testcase[@classname="probes"])'), String(PROBE_IDS.length));
    assert.equal(read(xml, 'count(//failure) + count(//skipped)'), '0');
    assert.equal(read(xml, '/testsuites/@tests'), '42');
  });

  test('skips what the platform cannot prove, and says why', () => {
    const xml = junitXml(suitesOfRun(heldRun('embedded')));
    assertValid(xml);
    assert.match(read(xml, '//testcase[@name="realKubernetesApi"]/skipped/@message'), /cannot prove/);
    assert.equal(read(xml, 'count(//skipped)'), read(xml, '/testsuites/@skipped'));
    assert.equal(read(xml, 'count(//failure)'), '0');
  });

  test('fails a gate or probe with the rule that was not met and its observations', () => {
    const xml = junitXml(suitesOfRun(failedRun()));
    assertValid(xml);
    assert.match(read(xml, '//testcase[@name="wrong-digest"]/failure'), /^not observed that .*\n?.*observations?/);
    assert.equal(read(xml, '//testsuite[@name="run"]/testcase/@name'), 'generation-2');
    assert.equal(read(xml, '//testsuite[@name="run"]/testcase/@time'), ((FAILURE.elapsedMs - (FAILURE.step?.startedMs ?? 0)) / 1_000).toFixed(3));
    assert.deepEqual(suitesOfRun(failedRun()).slice(1).map(({ seconds }) => seconds), [0], 'the time of the run is told once, since the whole is their sum');
    assert.match(read(xml, '//testsuite[@name="run"]/testcase/failure'), /\nQL3_CONTRACT: expected Pod ns\/w-1 to start.*\nwaited for a new Pod.*\nlast seen: Pod w-1 Pending/);
  });

  test('of a run that failed before anything was judged has the same testcases, none of them as passed', () => {
    const xml = junitXml(suitesOfRun(failedRun(FAILURE, null)));
    assertValid(xml);
    const cases = (of: string): string[] => [...of.matchAll(/<testcase classname="(?!run")[^"]*" name="[^"]*"/g)].map(([found]) => found);
    assert.deepEqual(cases(xml), cases(junitXml(suitesOfRun(heldRun()))));
    assert.equal(read(xml, 'count(//testcase[not(*)])'), '0');
    assert.equal(read(xml, 'count(//failure)'), '1');
    assert.match(read(xml, '//testcase[@name="passed"]/skipped/@message'), /^not provable on this platform$/);
    assert.match(read(xml, '//testcase[@name="egress-inside"]/skipped/@message'), /^not provable on this platform$/);
    assert.match(read(xml, '//testcase[@name="leastPrivilegeTokenIssuerRbac"]/skipped/@message'), /not known when the run ended/);
    assert.match(read(xml, '//testcase[@name="wrong-digest"]/skipped/@message'), /not known when the run ended/);
    assert.equal(read(junitXml(suitesOfRun(failedRun({ ...FAILURE, substrate: 'k3s' }, null))), 'count(//skipped[contains(@message, "provable")])'), '0');
  });

  test('carries any text, and nothing but text', () => {
    const hostile = 'a<b>&"\'\u0000\u001b[31m\ud800]]></failure><x/>\n\u{1f409} end';
    const causes = [{ code: null, message: hostile }];
    const xml = junitXml(suitesOfRun(failedRun({ ...FAILURE, causes, expectation: null, step: { id: hostile, title: hostile, startedMs: 0 } }, null)));
    assertValid(xml);
    const carried = 'a<b>&"\'\ufffd\ufffd[31m\ufffd]]></failure><x/>\n\u{1f409} end';
    assert.equal(read(xml, '//failure/@message'), carried);
    assert.equal(read(xml, '//failure'), `${carried}\n${carried}`);
  });

  test('of an audit has its questions, and skips those that nobody could answer', () => {
    const audited = { fixture: 'fixture@v2', findings: [{ code: 'QL3_WORKER_KUBERNETES_LIVE_PLATFORM', detail: 'expected k3s' }] };
    const gate = (name: string, state: Explained['gates'][number]['state']): Explained['gates'][number] => ({ name, state, rules: [{ words: 'it was seen', met: false, observations: [{ seq: 4 }], moreObservations: 2 }] });
    const explained: Explained = { observedAt: '2026-01-31T10:15:00.000Z', sourceRevision: null, gates: [gate('a', 'fails'), gate('b', 'holds'), gate('c', 'open')], probes: [] };
    const questions = ['PLATFORM', 'GATES', 'DERIVATION'];
    const suites = (hasEvidence: boolean): readonly JudgedSuite[] => suitesOfAudit(audited, explained, { questions, hasEvidence, seconds: 1 });
    const xml = junitXml(suites(false));
    assertValid(xml);
    assert.equal(read(xml, '//testcase[@name="PLATFORM"]/failure'), 'expected k3s');
    assert.equal(read(xml, '//testcase[@name="a"]/failure'), 'not observed that it was seen (observations 4 and 2 more)');
    assert.equal(read(xml, 'count(//skipped)'), '2');
    assert.equal(read(junitXml(suites(true)), 'count(//testcase[@name="DERIVATION"]/skipped)'), '0');
  });
});
