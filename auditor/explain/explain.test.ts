import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { BUNDLE_LAYOUT } from '../../evidence/bundle-layout.ts';
import { GATE_NAMES } from '../../evidence/gate-names.ts';
import { PROBE_IDS } from '../../evidence/observation.ts';
import type { Report } from '../../evidence/report.ts';
import { readTar } from '../bundle/read-tar.ts';
import { explain } from './explain.ts';
import type { ToldVerdict } from './explanation.ts';
import { renderPicture } from './files.ts';
import { renderPage } from './page/page.ts';
import { renderText } from './render-text.ts';
import { recorded, recordedTar } from './testing/recorded.ts';

const NOW = new Date('2027-01-01T00:00:00.000Z');
const folder = mkdtempSync(join(tmpdir(), 'ql3-explain-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const textOf = (path: string): string => Buffer.from(readTar(recordedTar()).files.get(path) ?? []).toString();
const LOG = textOf(BUNDLE_LAYOUT.observations.path);
const REPORT = JSON.parse(textOf(BUNDLE_LAYOUT.report.path)) as Report;

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}
/** What a run that broke off after so many observations would have left. */
function failure(name: string, observations: number, files: Readonly<Record<string, string>>): string {
  const path = join(folder, name);
  mkdirSync(path, { mode: 0o700 });
  file(join(name, 'observations.jsonl'), `${LOG.split('\n').slice(0, observations).join('\n')}\n`);
  for (const [each, content] of Object.entries(files)) file(join(name, each), content);
  return path;
}
/** The last before a row of the actions was read: everything was done, most of it not yet known. */
const LATE = LOG.split('\n').findIndex((line) => line.includes('"table":"worker_credential_management_plans"'));
const explained = (path: string) => explain(path, { now: NOW, most: 3 });
const named = (told: readonly ToldVerdict[], name: string): ToldVerdict => told.find((each) => each.name === name) as ToldVerdict;

describe('explaining a bundle', () => {
  const { explanation, timeline } = recorded();

  it('cuts what is too long between words, and tells a gate that is asked for whole', () => {
    const told = explanation.gates.flatMap(({ rules }) => rules).flatMap(({ observations }) => observations).map(({ words }) => words);
    const flat = (text: string): string => text.replaceAll(/\n {7,}/g, ' ');
    const cut = [...flat(renderText(explanation, { all: true, names: [] })).matchAll(/: (\w+: \w+[^\n]*) … \[\d+\]/g)].map(([, words = '']) => words);
    assert.ok(cut.length > 0);
    for (const words of cut) assert.ok(told.some((whole) => whole.startsWith(`${words} `)), words);
    const asked = flat(renderText(explanation, { all: false, names: ['secretAndDeploymentResourceVersionCas'] }));
    assert.doesNotMatch(asked, /…/);
    for (const words of named(explanation.gates, 'secretAndDeploymentResourceVersionCas').rules.flatMap(({ observations }) => observations.map((each) => each.words))) assert.ok(asked.includes(words), words);
  });
  it('says of every rule that names no observation why', () => {
    const silent = explanation.gates.flatMap(({ rules }) => rules).filter(({ observations }) => observations.length === 0);
    assert.ok(silent.some(({ met }) => met) && silent.every(({ met, moreObservations }) => met && moreObservations === 0));
    const text = renderText(explanation, { all: true, names: [] }).replaceAll(/\s+/g, ' ');
    for (const { words } of silent) assert.ok(text.includes(`✓ ${words} (nothing was observed that breaks it: `), words);
    assert.equal(renderPage({ explanation, timeline }).split('nothing was observed that breaks it').length - 1, silent.length + explanation.probes.flatMap(({ rules }) => rules).filter(({ met, observations }) => met && observations.length === 0).length);
  });
  it('stays within a screen, whose width it is told, and loses no word to that', () => {
    const details = [{ all: false, names: [] }, { all: true, names: [] }, { all: false, names: ['passed', 'self-approval'] }];
    for (const detail of details) {
      const [narrow, wide] = [renderText(explanation, { ...detail, columns: 60 }), renderText(explanation, detail)];
      assert.deepEqual(narrow.split('\n').filter((line) => line.length > 60 && line.trim().includes(' ')), []);
      assert.equal(narrow.replaceAll(/\s+/g, ' '), wide.replaceAll(/\s+/g, ' '));
    }
  });

  it('tells every gate and probe once, in the order of the report, each with what it does not prove', () => {
    assert.deepEqual(explanation.gates.map(({ name }) => name), [...GATE_NAMES]);
    assert.deepEqual(explanation.probes.map(({ name }) => name), [...PROBE_IDS]);
    assert.deepEqual(explanation.findings, []);
  });
  it('says of each gate what the report says, and what its platform cannot prove as that', () => {
    const unproven: readonly string[] = 'unproven' in REPORT ? REPORT.unproven : [];
    for (const { name, state } of explanation.gates) assert.equal(state, unproven.includes(name) ? 'unproven' : REPORT.gates[name as keyof Report['gates']] ? 'holds' : 'fails', name);
  });
  it('rests each gate that holds on observations in words, with step, time and witness', () => {
    const seqs = new Set(LOG.trim().split('\n').map((_, index) => index + 1));
    for (const { name, state, rules, witnesses } of explanation.gates.filter((gate) => gate.state === 'holds')) {
      const observations = rules.flatMap((rule) => rule.observations);
      assert.ok(state === 'holds' && witnesses.length > 0 && observations.length > 0, name);
      assert.ok(rules.every(({ met }) => met), name);
      for (const { seq, atMs, step, words } of observations) assert.ok(seqs.has(seq) && Number.isFinite(atMs) && step !== null && words.length > 5 && !/undefined|NaN|\[object/.test(words), `${name}: ${words}`);
    }
  });
  it('draws a proof of every gate that an order or an enclosure carries, and both of its ends in order', () => {
    const drawn = new Set(timeline?.proofs.flatMap(({ gates }) => gates));
    const notDrawn = GATE_NAMES.filter((name) => !drawn.has(name));
    assert.deepEqual(notDrawn, ['realKubernetesApi', 'executorJobExactNetworkEgress', 'passed']);
    const marks = new Map(timeline?.lanes.flatMap(({ rows }) => rows.flat()).map((mark) => [mark.key, mark]));
    for (const { from, to, words } of timeline?.proofs ?? []) {
      const at = ({ key, end }: typeof from): number => (end === 'from' ? marks.get(key)?.fromMs : marks.get(key)?.toMs) ?? Number.NaN;
      assert.ok(at(from) <= at(to), `${words}: ${at(from)} and ${at(to)}`);
    }
  });
  it('believes a bundle no more than the auditor does', () => {
    const path = file('edited.tar', Buffer.from(recordedTar().toString('latin1').replace('"passed":false', '"passed":true '), 'latin1'));
    const { explanation: edited } = explained(path);
    assert.match(edited.headline, /the auditor does not accept it/);
    assert.equal(named(edited.gates, 'passed').state, 'unproven');
  });
  it('calls no gate false for what is damaged, and tells its findings by code', () => {
    const whole = recordedTar();
    const lines = LOG.trimEnd().split('\n');
    const line = Buffer.from(lines[400] ?? '');
    const at = whole.indexOf(line);
    const garbled = Buffer.concat([whole.subarray(0, at), Buffer.alloc(line.length, '?'), whole.subarray(at + line.length)]);
    for (const [name, bytes] of [['cut-archive.tar', whole.subarray(0, 100_000)], ['garbled.tar', garbled]] as const) {
      const { explanation: damaged } = explained(file(name, bytes));
      assert.deepEqual([...damaged.gates, ...damaged.probes].filter(({ state }) => state === 'fails').map((each) => each.name), [], name);
      const codes = renderText(damaged).match(/^! QL3_\w+/gm) ?? [];
      assert.ok(codes.length > 0 && new Set(codes).size === codes.length, name);
      assert.doesNotMatch(renderText(damaged), /: : /);
    }
  });
});

describe('explaining a report alone', () => {
  it('tells what it says of itself, and that it is no more', () => {
    const { explanation, timeline } = explained(file('report.json', textOf(BUNDLE_LAYOUT.report.path)));
    assert.equal(timeline, null);
    assert.match(explanation.headline, /says of itself/);
    assert.match(renderText(explanation), /with its bundle it could be derived/);
    assert.deepEqual(explanation.gates.map(({ rules }) => rules.length).filter((rules) => rules > 0), []);
  });
  it('tells an edited one by what it says, and what it does not say as not judged', () => {
    const { passed: _, ...gates } = REPORT.gates;
    const { explanation } = explained(file('edited.json', JSON.stringify({ ...REPORT, gates: { ...gates, recreateOrderingObserved: false }, sourceRevision: 1 })));
    const stateOf = (name: string) => named(explanation.gates, name).state;
    assert.deepEqual(['passed', 'recreateOrderingObserved', 'productionSessionReplacement'].map(stateOf), ['unjudged', 'fails', 'holds']);
    assert.match(explanation.headline, /^A rehearsal; the auditor does not accept it: \d+ findings$/);
  });
});

describe('explaining what a failed run has left', () => {
  it('tells what had been proven by then, and what was open', () => {
    const { explanation, timeline } = explained(failure('failed', 100, { 'error.txt': 'QL3_WAIT_TIMEOUT: expected a Pod, got none\n' }));
    assert.ok(timeline !== null && timeline.steps.some(({ step, toMs }) => step === 'forced-pod-loss' && toMs === Number.POSITIVE_INFINITY));
    assert.deepEqual(new Set(explanation.gates.map(({ state }) => state)), new Set(['open', 'unproven']));
    const text = renderText(explanation);
    assert.match(text, /QL3_WAIT_TIMEOUT: expected a Pod, got none/);
    assert.match(text, /\? recreateOrderingObserved: the actor ran in the five Pods of phase A/);
  });
  it('tells step, expectation and last sight from its index', () => {
    const index = {
      schemaVersion: 1, kind: 'qinglong/worker-kubernetes-rollout-failure', runId: 'a5040487-f8f5-4699-b3e4-6db7e70ec66c', substrate: 'embedded', source: null,
      failedAt: '2026-11-29T22:01:58.450Z', elapsedMs: 53_789, interruptedBy: null, exitCode: 1,
      step: { id: 'generation-3', title: 'the executor Job', startedMs: 53_000 },
      expectation: { expected: 'the Job to complete', sinceMs: 53_100, waitedMs: 60_000, deadlineMs: null, lastSeen: { text: 'Pod Pending', atMs: 53_500 }, by: null },
      alsoWaiting: [], lines: { of: 'Pod executor', file: null, lines: ['ENOENT'] }, causes: [{ code: 'QL3_WAIT_TIMEOUT', message: 'it did not complete' }], files: [], missing: [],
    };
    const text = renderText(explained(failure('indexed', 110, { 'index.json': JSON.stringify(index) })).explanation);
    assert.doesNotMatch(text, /interrupted/);
    assert.equal(text.split('the executor Job').length, 2, text);
    // of a process that died the cause has the last lines
    const died = explained(failure('died', 110, { 'index.json': JSON.stringify({ ...index, causes: [{ code: 'QL3_PLATFORM_DIED', message: 'its last lines:\nLOG:  starting\nLOG:  shutting down' }] }) }));
    assert.match(renderText(died.explanation), /\nQL3_PLATFORM_DIED: its last lines:\n +LOG:  starting\n +LOG:  shutting down\n/);
    assert.match(renderPage(died), /its last lines:<br>LOG:  starting<br>LOG:  shutting down/);
    const interrupted = explained(failure('interrupted', 110, { 'index.json': JSON.stringify({ ...index, interruptedBy: 'SIGTERM', expectation: null, lines: null }) }));
    assert.match(renderText(interrupted.explanation), /^A run that was interrupted \(SIGTERM\) in the step: the executor Job\n[^]*\nStep generation-3 began /);
    const page = renderPage(interrupted);
    assert.match(page, /Interrupted at.*Where it was interrupted.*Step generation-3 began /);
    assert.doesNotMatch(/<section id="failure".*?<\/section>/.exec(page)?.[0] ?? 'the executor Job', /the executor Job/, 'the headline has the title of the step');
    for (const told of [renderText(interrupted.explanation), renderPage(interrupted)]) assert.doesNotMatch(told, /[Ff]ailed (in|at)|What failed/);
    for (const words of [/^A run that failed in the step: the executor Job\n/, /\nStep generation-3 began /, /waited 60.0 s for: the Job to complete/, /Last seen: Pod Pending/, /QL3_WAIT_TIMEOUT: it did not complete/, /\| ENOENT/]) assert.match(text, words);
  });
  it('adds up: what held, what its platform cannot prove, and what was not known', () => {
    const { explanation } = explained(failure('sums', LATE, { 'error.txt': 'broken' }));
    const text = renderText(explanation);
    const numbers = [/Proven by then: (\d+) of 41/, /Not provable on this platform[^:]*: (\d+)/, /Not known when the run ended: (\d+)/].map((pattern) => Number(pattern.exec(text)?.[1]));
    assert.equal(numbers.reduce((sum, each) => sum + each, 0), 41, text);
    assert.match(text, /\n {2}realKubernetesApi, executorJobExactNetworkEgress, passed, egress-inside, egress-outside\n/);
  });
  it('draws what was not known, gates and probes, as neither held nor failed, and explains the look', () => {
    const broken = explained(failure('drawn', LATE, { 'error.txt': 'broken' }));
    const [probes = []] = broken.timeline?.lanes.find(({ id }) => id === 'probes')?.rows ?? [];
    const states = new Map(broken.explanation.probes.map(({ name, state }) => [name, state]));
    assert.ok(probes.length > 3 && probes.some(({ look }) => look === 'waiting'));
    for (const { key, label, look } of probes) {
      const state = states.get(key.slice('probe/'.length));
      assert.deepEqual([label[0], look], state === 'holds' ? ['✓', 'solid'] : [state === 'open' ? '?' : '–', 'waiting'], label);
    }
    for (const drawn of [renderPicture(broken), renderPage(broken)]) {
      assert.doesNotMatch(drawn, /class="proof not g|>✕ [a-z]+[A-Z]/);
      assert.match(drawn, /class="proof unknown g3[^"]*">.*?\(not known when the run ended\)/);
      assert.match(drawn, />\? recreateOrderingObserved</);
      for (const words of ['✕ of one that does not hold', '? not known when the run ended, – not provable here', 'refused by the API server', 'approval, access reviews, recovery, identity, claim; ✕ probe']) assert.ok(drawn.includes(words), words);
    }
    for (const told of [renderText(broken.explanation, { all: true, names: [] }), renderPage(broken)]) {
      assert.doesNotMatch(told, /\n {2}✕ |class="unmet"/);
      assert.match(told, /\n {2}\? |<span class="wit">\? not observed: /);
    }
    assert.doesNotMatch(renderPage(broken), /rules not met/, 'a rule that nobody could judge is not unmet');
    assert.match(renderPage(broken), /<summary>\d+ of \d+ rules not known when the run ended<\/summary>/);
    assert.match(renderPage(broken), /\.x\{stroke:var\(--text\)/, 'a refusal has not the colour of a failure');
  });
  it('draws no band of a phase of which nothing was seen: its step stands in the one before', () => {
    const begun = LOG.split('\n').findIndex((line) => line.includes('"step":"ingress","state":"started"')) + 1;
    const bandsOf = (observations: number) => [...renderPicture(explained(failure(`band-${observations}`, observations, { 'error.txt': 'broken' }))).matchAll(/class="band"[^>]*>(Phase .):/g)].map(([, phase]) => phase);
    assert.deepEqual([bandsOf(begun), bandsOf(LATE)], [['Phase A'], ['Phase A', 'Phase B']]);
    const { timeline } = explained(join(folder, `band-${begun}`));
    assert.equal(timeline?.steps.at(-1)?.step, 'ingress');
  });
  it('knows the credentials of Secrets and Deployment before any row was read', () => {
    const { timeline } = explained(failure('secrets', LATE, { 'error.txt': 'broken' }));
    const lane = (id: string) => timeline?.lanes.find((each) => each.id === id)?.rows[0] ?? [];
    assert.deepEqual(lane('secrets').map(({ label }) => label), ['prepared', 'credential 1', 'credential 2', 'credential 3', 'credential 4']);
    assert.deepEqual([...new Set(lane('deployment').map(({ credential }) => credential))], [0, 1, 2, 3, 4]);
  });
  it('claims nothing of a run that had not begun', () => {
    const { explanation, timeline } = explained(failure('early', 2, { 'error.txt': 'no Engine' }));
    assert.equal(timeline, null);
    assert.deepEqual(new Set([...explanation.gates, ...explanation.probes].map(({ state }) => state)), new Set(['open']));
  });
  it('says that the observation log is missing, and not that nothing had been proven', () => {
    const path = failure('without-log', 100, { 'error.txt': 'ENOSPC: no space left on device\n' });
    rmSync(join(path, 'observations.jsonl'));
    const told = explained(path);
    const text = renderText(told.explanation);
    assert.match(text, /no observation log \(observations\.jsonl\)/);
    assert.match(text, /ENOSPC: no space left/);
    for (const claim of [/Nothing had been proven/, /Not known when the run ended/, /the report says of itself/]) assert.doesNotMatch(text, claim);
    assert.match(renderPage(told), /the observation log is missing/);
    assert.equal(told.timeline, null);
  });
  it('reads what is there when the log was cut off in the middle of a line', () => {
    const path = failure('cut', 50, {});
    file('cut/observations.jsonl', LOG.slice(0, 60_000));
    assert.ok(explained(path).explanation.findings.some(({ detail }) => /cut off|line \d+/.test(detail)));
  });
});

describe('what cannot be explained is refused', () => {
  const refused = (path: string, code: string): void => assert.throws(() => explained(path), { code });
  it('a missing file, a link, a file that others may write, a folder of something else, something compressed', () => {
    refused(join(folder, 'nothing'), 'INPUT_MISSING');
    symlinkSync(file('real.json', '{}'), join(folder, 'link.json'));
    refused(join(folder, 'link.json'), 'INPUT_LINK');
    chmodSync(file('shared.json', '{}'), 0o666);
    refused(join(folder, 'shared.json'), 'INPUT_SHARED');
    mkdirSync(join(folder, 'other'));
    refused(join(folder, 'other'), 'INPUT_NOT_EVIDENCE');
    refused(file('notes.md', '# notes\n'.repeat(100)), 'INPUT_NOT_EVIDENCE');
    refused(file('other.json', '{"gates":{}}'), 'INPUT_NOT_EVIDENCE');
    refused(file('bundle.tar.gz', Buffer.from([0x1f, 0x8b, 8, 0])), 'INPUT_SYNTAX');
    refused(file('half.json', '{"a":'), 'INPUT_SYNTAX');
  });
});
