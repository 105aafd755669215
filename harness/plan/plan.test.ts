import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { REHEARSAL_FIXTURE, RELEASE_FIXTURE } from '../../evidence/pins.ts';
import { RELEASE_LIMITATIONS } from '../../evidence/limitations.ts';
import { describeVerdict } from '../cli/summary.ts';
import { recordedFiles } from '../contract/testing/recorded-rehearsal.ts';
import { heldRun } from '../run/testing/run-ends.ts';
import { describePlan } from './describe-plan.ts';
import { toYaml } from './manifests-yaml.ts';
import { makePlan, type PlanOptions } from './plan.ts';
import { assertAsPlanned } from './testing/assert-as-planned.ts';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const CLEAN = { directory: ROOT, revision: 'a'.repeat(40), clean: true };
const plan = (given: Partial<PlanOptions> = {}) => makePlan({ substrate: 'k3s', source: CLEAN, environment: {}, reportPath: '/reports/new.json', bundle: null, ...given });

describe('the plan of a run', () => {
  it('is what a recorded rehearsal did: its steps, objects, probes, claims and files', () => assertAsPlanned(recordedFiles(), true));

  it('is release evidence only on the pins, and of a tree that a commit holds', () => {
    const release = plan().claim;
    assert.deepEqual([release.kind, release.fixture, release.refused, release.because, release.limitations], ['release', RELEASE_FIXTURE, null, [], RELEASE_LIMITATIONS]);
    assert.match(plan({ source: { ...CLEAN, clean: false } }).claim.refused ?? '', /clean tree/);
    const other = plan({ environment: { QL3_K3S_IMAGE: 'lab/k3s:1' }, source: { ...CLEAN, clean: false } }).claim;
    assert.deepEqual([other.kind, other.fixture, other.refused], ['rehearsal', REHEARSAL_FIXTURE, null]);
    assert.match(other.because.join(), /QL3_K3S_IMAGE names lab\/k3s:1.*changes/);
  });

  it('names the image that would be used, pinned by digest or put in its place', () => {
    const [k3s, postgres] = plan({ environment: { QL3_POSTGRES_IMAGE: 'lab/postgres:18' } }).images;
    assert.match(k3s?.name ?? '', /^rancher\/k3s:\S+@sha256:[0-9a-f]{64}$/);
    assert.deepEqual([postgres?.name, postgres?.from, postgres?.where], ['lab/postgres:18', 'an override', 'QL3_POSTGRES_IMAGE']);
  });

  it('says of every object which file it comes from, and the file has it', () => {
    for (const { kind, file, patches } of plan().objects) {
      assert.match(readFileSync(join(ROOT, file), 'utf8'), new RegExp(`^kind: ${kind}$`, 'm'), file);
      for (const patch of patches) assert.ok(readFileSync(join(ROOT, patch)).length > 0, patch);
    }
  });

  it('tries the network policy only where one takes effect', () => {
    const egress = (substrate: 'k3s' | 'embedded') => plan({ substrate }).objects.filter(({ name }) => name.includes('egress-probe')).map(({ kind }) => kind);
    assert.deepEqual([egress('k3s'), egress('embedded')], [['Pod'], []]);
  });

  it('puts what fails and what holds beside the report, for its owner alone', () => {
    const writes = plan({ bundle: { path: '/reports/new.tar', isSigned: true } }).writes.filter(({ path }) => path.startsWith('/reports/'));
    assert.deepEqual(writes.map(({ path, mode }) => [path, mode]), [['/reports/new.json', '0600'], ['/reports/new.tar', '0600'], ['/reports/new.json.failure-XXXXXX', '0700']]);
    assert.match(writes[1]?.holds ?? '', /attestation\.dsse\.json/);
  });

  it('as YAML is one document for each object, and no value of a Secret', () => {
    const { objects } = plan();
    const documents = parseAllDocuments(toYaml(objects)).map((document) => document.toJS() as { kind: string; metadata: { name: string }; data?: Readonly<Record<string, string>> });
    assert.deepEqual(documents.map(({ kind, metadata }) => `${kind} ${metadata.name}`), objects.map(({ kind, name }) => `${kind} ${name}`));
    const values = documents.flatMap(({ kind, data }) => (kind === 'Secret' ? Object.values(data ?? {}) : []));
    assert.deepEqual([...new Set(values)], ['(made by the run)']);
  });

  it('told to people leaves out no step, no object and no file', () => {
    const given = plan();
    const text = describePlan(given);
    for (const word of [...given.steps.map(({ id }) => id), ...given.objects.map(({ name }) => name), ...given.writes.map(({ path }) => path), ...given.platform.map(({ name }) => name)]) assert.ok(text.includes(word), word);
    const steps = new Set(given.steps.map(({ id }) => id));
    assert.deepEqual(given.objects.filter(({ step }) => !steps.has(step)), []);
  });

  it('tells people that the same cannot be proven as the end of the run does', () => {
    const listed = (text: string, title: string): readonly string[] | undefined => new RegExp(`${title}: ([^:]+?)\\n(?:\\S|\\n)`).exec(`${text}\n\n`)?.[1]?.split(/,\s+/);
    const told = listed(describePlan(plan({ substrate: 'embedded' })), 'what the platform cannot prove');
    assert.deepEqual(told, listed(describeVerdict(heldRun('embedded').derivation), 'what this platform cannot prove, and the report does not claim'));
    assert.ok((told?.length ?? 0) > 3, told?.join());
    assert.doesNotMatch(describePlan(plan()), /cannot prove/);
  });

  it('told to people fits a usual terminal', () => {
    const given = [plan(), plan({ substrate: 'embedded' }), plan({ environment: { QL3_K3S_IMAGE: 'lab/k3s:1', QL3_POSTGRES_IMAGE: 'lab/postgres:18' }, source: { ...CLEAN, clean: false }, bundle: { path: '/reports/new.tar', isSigned: true } })];
    for (const text of given.map((each) => describePlan(each))) assert.deepEqual(text.split('\n').filter((line) => line.length > 80 && line.trim().includes(' ')), []);
  });

  it('told to people is as wide as their terminal, and says the same', () => {
    const words = (text: string): string => text.replaceAll(/\s+/g, ' ');
    const [usual, narrow, wide] = [null, 60, 104].map((columns) => describePlan(plan({ substrate: 'embedded' }), columns));
    const tooLong = (text = '', most = 0): string[] => text.split('\n').filter((line) => line.length > most && !/^ *\S+ *\S*$/.test(line));
    assert.deepEqual([tooLong(narrow, 60), tooLong(wide, 104)], [[], []]);
    assert.ok((wide ?? '').split('\n').some((line) => line.length > 90), 'expected the width to be used');
    assert.deepEqual([words(narrow ?? '').length, words(wide ?? '').length], [words(usual ?? '').length, words(usual ?? '').length]);
  });
});
