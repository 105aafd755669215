import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';

const fixture = (name: string): Buffer => readFileSync(new URL(`../../../evidence/fixtures/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ql3-explain-command-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const explain = (...args: string[]) => spawnSync(process.execPath, [new URL('../main.ts', import.meta.url).pathname, 'explain', ...args], { encoding: 'utf8', cwd: folder });

describe('the command explain', () => {
  writeFileSync(at('bundle.tar'), gunzipSync(fixture('bundle-v1-rehearsal.tar.gz')), { mode: 0o600 });
  writeFileSync(at('report.json'), fixture('report-v2-release.json'), { mode: 0o600 });

  it('tells a bundle in words, and leaves a page and a picture that only their owner can read', () => {
    const { status, stdout, stderr } = explain('bundle.tar', `--html=${at('page.html')}`, `--svg=${at('picture.svg')}`);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^A rehearsal: everything holds that its platform can prove\n/);
    assert.match(stdout, /\n✓ {2}3 {2}recreateOrderingObserved: old ended before new began \(\d+ observations: .*database.*\)\n/);
    assert.match(stdout, /\nGates: 18 of 21 hold, 3 not provable here\./);
    assert.ok(stdout.split('\n').length < 80, `${stdout.split('\n').length} lines`);
    for (const name of ['page.html', 'picture.svg']) assert.equal(statSync(at(name)).mode & 0o777, 0o600);
    assert.match(readFileSync(at('page.html'), 'utf8'), /^<!DOCTYPE html>/);
  });
  it('overwrites nothing and follows no link', () => {
    writeFileSync(at('mine.html'), 'mine');
    symlinkSync(folder, at('link'));
    const before = readdirSync(folder);
    for (const path of [at('mine.html'), at('link/new.html'), 'relative.html']) {
      const { status, stderr } = explain('bundle.tar', `--html=${path}`);
      assert.equal(status, 2, path);
      assert.match(stderr, /QL3_PATH_REFUSED/);
    }
    assert.equal(readFileSync(at('mine.html'), 'utf8'), 'mine');
    assert.deepEqual(readdirSync(folder), before);
  });
  it('answers --json with one document, of one gate when one is asked for', () => {
    const { status, stdout } = explain('bundle.tar', '--json', '--gate=approvalConsumedBeforeTokenRequest');
    const { gates, probes } = JSON.parse(stdout) as { gates: { name: string; state: string; rules: unknown[] }[]; probes: unknown[] };
    assert.deepEqual([status, gates.map(({ name, state }) => [name, state]), probes], [0, [['approvalConsumedBeforeTokenRequest', 'holds']], []]);
    assert.equal(gates[0]?.rules.length, 14);
  });
  it('tells several gates and probes that are named, and no other', () => {
    const asked = ['--gate=wrong-digest', '--gate=approvalConsumedBeforeTokenRequest', '--gate=recreateOrderingObserved'];
    const { gates, probes } = JSON.parse(explain('bundle.tar', '--json', ...asked).stdout) as { gates: { name: string }[]; probes: { name: string }[] };
    assert.deepEqual([...gates, ...probes].map(({ name }) => name), ['recreateOrderingObserved', 'approvalConsumedBeforeTokenRequest', 'wrong-digest']);
    const told = explain('bundle.tar', ...asked).stdout;
    assert.deepEqual([...told.matchAll(/^[✓✕?–] (?: ?\d+ {2})?([\w-]+): .*\(holds\)$/gm)].map(([, name]) => name), ['recreateOrderingObserved', 'approvalConsumedBeforeTokenRequest', 'wrong-digest']);
  });
  it('tells one gate whole, and every one with --all, a long observation in words once', () => {
    const [one, all] = [explain('bundle.tar', '--gate=recreateOrderingObserved').stdout, explain('bundle.tar', '--all').stdout];
    assert.match(one, /Not proven: that a node that is cut off/);
    assert.doesNotMatch(one, /secretAndDeploymentResourceVersionCas/);
    for (const text of [one, all]) {
      assert.match(text, /as told above: \[\d+\]/);
      const long = text.replaceAll(/\n {8}/g, ' ').split('\n').filter((line) => line.length > 140 && /\[\d+\]$/.test(line));
      assert.deepEqual(long.filter((line, index) => long.indexOf(line) !== index), []);
    }
  });
  it('refuses what is no evidence in one line, by one code', () => {
    writeFileSync(at('notes.md'), '# notes\n'.repeat(500), { mode: 0o600 });
    writeFileSync(at('other.json'), '{"name":"other"}', { mode: 0o600 });
    for (const [path, code] of [['notes.md', 'NOT_EVIDENCE'], ['other.json', 'NOT_EVIDENCE'], ['.', 'NOT_EVIDENCE'], ['nothing.tar', 'MISSING']] as const) {
      const { status, stdout, stderr } = explain(path);
      assert.deepEqual([status, stdout], [2, ''], path);
      assert.match(stderr, new RegExp(`^INPUT_${code}: [^\\n]+\\n$`));
    }
  });
  it('refuses a gate that there is not, a file that there is not, and a picture of a report alone', () => {
    for (const args of [['bundle.tar', '--gate=recreateOrdering'], ['nothing.tar'], [], ['report.json', `--svg=${at('none.svg')}`]]) assert.equal(explain(...args).status, 2, args.join(' '));
    assert.ok(!readdirSync(folder).includes('none.svg'));
  });
});
