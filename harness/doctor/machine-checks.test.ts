import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Check, CheckState, Finding } from './check.ts';
import { judgeDrift, judgeSkew, judgeTime } from './checks/clock.ts';
import { destinations, judgeRoom } from './checks/destinations.ts';
import { judgeFreeSpace } from './checks/disk-docker.ts';
import { judgeTemporarySpace } from './checks/disk-temporary.ts';
import { judgeInotify } from './checks/inotify.ts';
import { judgeInstallation } from './checks/installation.ts';
import { judgeLeavings } from './checks/leavings.ts';
import { judgeMemory } from './checks/memory.ts';
import { judgeNode } from './checks/node-version.ts';
import { judgeOpenFiles } from './checks/open-files.ts';
import { judgePnpm } from './checks/pnpm-version.ts';
import { judgeParents } from './checks/postgres-account.ts';
import { judgeMode, judgeTree } from './checks/source.ts';
import { judgeEntrance, judgeTemporaryFolder } from './checks/temporary-folder.ts';
import { judgeUmask } from './checks/umask.ts';
import { isReachableByAll } from '../run/reachable-by-all.ts';
import { CHECKS } from './all-checks.ts';
import { describeResults } from './describe-results.ts';
import { canRun, examine } from './examine.ts';
import { UNCLEAR } from './testing/unclear.ts';

const isOpen = await isReachableByAll(realpathSync(tmpdir()));
const GIB = 1024 ** 3;

/** One finding on each side of every bound. */
const BOUNDS: readonly (readonly [string, Finding, CheckState])[] = [
  ['15 GiB where Docker stores', judgeFreeSpace('/d', 15 * GIB), 'ok'],
  ['a byte less', judgeFreeSpace('/d', 15 * GIB - 1), 'failed'],
  ['1 GiB in TMPDIR', judgeTemporarySpace('/t', GIB, 10_000), 'ok'],
  ['half of it', judgeTemporarySpace('/t', GIB / 2, 10_000), 'failed'],
  ['no files left', judgeTemporarySpace('/t', GIB, 12), 'failed'],
  ['256 MiB where the report goes', judgeRoom('/r', GIB / 4, 500), 'ok'],
  ['little room for what a failed run leaves', judgeRoom('/r', GIB / 16, 500), 'warning'],
  ['none for report and bundle', judgeRoom('/r', GIB / 16 - 1, 500), 'failed'],
  ['no files left beside the report', judgeRoom('/r', GIB, 499), 'failed'],
  ['a usual machine for inotify', judgeInotify({ instances: 128, watches: 65_536, instancesInUse: 7 }), 'ok'],
  ['instances that others hold', judgeInotify({ instances: 128, watches: 65_536, instancesInUse: 80 }), 'warning'],
  ['hardly an instance left', judgeInotify({ instances: 128, watches: 65_536, instancesInUse: 120 }), 'failed'],
  ['too few watches', judgeInotify({ instances: 512, watches: 1_024, instancesInUse: null }), 'failed'],
  ['memory for K3s', judgeMemory('k3s', 3 * GIB, ''), 'ok'],
  ['little memory for K3s', judgeMemory('k3s', 2 * GIB, ''), 'warning'],
  ['too little memory for K3s', judgeMemory('k3s', GIB, ''), 'failed'],
  ['which does for a rehearsal', judgeMemory('embedded', GIB, ''), 'warning'],
  ['a commit of a minute ago', judgeTime(60_000, 0), 'ok'],
  ['a commit of the future', judgeTime(0, 1), 'failed'],
  ['a steady clock', judgeDrift(-3), 'ok'],
  ['a clock that is being set back', judgeDrift(-3_000), 'warning'],
  ["Docker's clock with ours", judgeSkew(-900), 'ok'],
  ["Docker's clock behind ours", judgeSkew(-1_100), 'failed'],
  ['the node that is needed', judgeNode('24.0.0', 'node'), 'ok'],
  ['an older node', judgeNode('22.20.0', 'node'), 'failed'],
  ['the pnpm of the lock file', judgePnpm('10.1.0', 'pnpm@10.34.9'), 'ok'],
  ['another pnpm', judgePnpm('9.15.0', 'pnpm@10.34.9'), 'warning'],
  ['an installation of this lock file', judgeInstallation(true, true, null), 'ok'],
  ['of another one', judgeInstallation(false, true, null), 'warning'],
  ['none, and no registry', judgeInstallation(false, false, 'no such host'), 'warning'],
  ['a clean tree for a release', judgeTree('a'.repeat(40), true, true), 'ok'],
  ['a dirty one', judgeTree('a'.repeat(40), false, true), 'failed'],
  ['a dirty one for a rehearsal', judgeTree('a'.repeat(40), false, false), 'warning'],
  ['a checkout that everybody can change', judgeMode('/c', 0o40777), 'warning'],
  ['umask 022', judgeUmask(0o022), 'ok'],
  ['umask 0', judgeUmask(0), 'warning'],
  ['a umask that shuts the owner out', judgeUmask(0o777), 'failed'],
  ['no leavings', judgeLeavings([]), 'ok'],
  ['leavings', judgeLeavings(['container a']), 'warning'],
  ['open files', judgeOpenFiles('1024'), 'ok'],
  ['few open files', judgeOpenFiles('256'), 'warning'],
  ['root and no folder that others can enter', judgeParents('/b', null), 'failed'],
];

describe('what the doctor says of this machine', () => {
  for (const [words, { state, cure, found }, expected] of BOUNDS) {
    it(`${words}: ${expected}`, () => {
      assert.doesNotMatch(found, UNCLEAR);
      assert.equal(state, expected);
      assert.equal(cure === null, expected === 'ok');
    });
  }

  it('a temporary folder in which others may replace what is ours is no place for keys', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ql3-shared-'));
    const states: CheckState[] = [];
    for (const mode of [0o700, 0o1777, 0o777]) {
      chmodSync(folder, mode);
      states.push((await judgeTemporaryFolder(folder)).state);
    }
    rmSync(folder, { recursive: true });
    assert.deepEqual([...states, (await judgeTemporaryFolder(folder)).state], ['ok', 'ok', 'failed', 'failed']);
  });

  it('a place for the report is one that the run takes, and has room; the trial leaves nothing there', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ql3-place-')));
    const look = async (places: Parameters<typeof destinations>[0]): Promise<readonly (readonly [string, CheckState, string | null])[]> =>
      (await examine(destinations(places), { substrates: ['embedded'] })).map(({ name, state, cure }) => [name, state, cure] as const);
    try {
      assert.deepEqual(await look({}), []);
      writeFileSync(join(folder, 'there.json'), '');
      mkdirSync(join(folder, 'shared'));
      chmodSync(join(folder, 'shared'), 0o777);
      const [report, bundle] = await look({ report: join(folder, 'there.json'), bundle: join(folder, 'missing', 'b.tar') });
      assert.deepEqual([report, bundle], [['destination: report', 'failed', 'no file is ever overwritten, name a new one'], ['destination: bundle', 'failed', 'create it with mode 0700']]);
      assert.deepEqual((await look({ report: 'relative.json', bundle: join(folder, 'shared', 'b.tar') })).map(([, state]) => state), ['failed', 'failed']);
      const same = join(folder, 'new.json');
      assert.deepEqual((await look({ report: same, bundle: same })).at(-1)?.slice(1), ['failed', 'name two different files']);
      assert.notEqual((await look({ report: same }))[0]?.[1], 'unfinished');
      assert.deepEqual(readdirSync(folder).toSorted(), ['shared', 'there.json']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("a temporary folder of root is none for Pods when others may not enter a folder above it, and that one is named", { skip: isOpen ? false : 'TMPDIR is such a folder itself' }, async () => {
    const above = realpathSync(mkdtempSync(join(tmpdir(), 'ql3-above-')));
    const folder = join(above, 'tmp');
    mkdirSync(folder);
    symlinkSync(folder, join(above, 'linked'));
    try {
      chmodSync(folder, 0o711);
      chmodSync(above, 0o700);
      const finding = await judgeEntrance(folder);
      assert.equal(finding?.state, 'failed');
      assert.ok(finding.found.includes(above) && !finding.found.includes(folder), finding.found);
      assert.ok(finding.cure?.startsWith(`chmod o+x ${above}, or set TMPDIR to `), finding.cure ?? '');
      chmodSync(above, 0o711);
      assert.deepEqual([await judgeEntrance(folder), await judgeEntrance(join(above, 'linked')), await judgeEntrance(join(above, 'missing'))], [null, null, null]);
      chmodSync(folder, 0o700);
      assert.ok((await judgeEntrance(join(above, 'linked')))?.found.includes(folder));
    } finally {
      rmSync(above, { recursive: true });
    }
  });
});

describe('an examination', () => {
  const check = (examine: Check['examine'], substrate: Check['substrate'] = 'both'): Check => ({ name: 'it', substrate, reason: 'because', examine });
  const failing: Finding = { state: 'failed', found: 'a', expected: 'b', cure: 'c' };

  it('looks only at what the substrates need, and asks for no Docker where none is needed', async () => {
    const results = await examine([check(() => [failing], 'k3s'), check(async ({ engine }) => [{ ...failing, found: JSON.stringify(await engine()) }])], { substrates: ['embedded'], environment: { DOCKER_HOST: 'unix:///nowhere' } });
    assert.deepEqual(results.map(({ found }) => found), ['null']);
  });

  it('what fails for one substrate does not keep the other from running', async () => {
    const results = await examine([check(() => [{ ...failing, substrate: 'k3s' }])], { substrates: ['embedded', 'k3s'] });
    assert.deepEqual([canRun('embedded', results), canRun('k3s', results)], [true, false]);
    const text = describeResults(results, ['embedded', 'k3s']);
    assert.match(text, /embedded: can run\nk3s: cannot run, because of it/);
    for (const part of ['because', 'expected  b', 'found     a', 'to do     c']) assert.ok(text.includes(part), part);
  });

  it('every check says why a run needs it, under a name of its own', () => {
    assert.deepEqual(CHECKS.filter(({ reason }) => reason.length < 20), []);
    assert.equal(new Set(CHECKS.map(({ name }) => name)).size, CHECKS.length);
  });
});

it('a check that came to no end leaves the verdict open; one that failed decides it', async () => {
  const check = (name: string, examine: Check['examine']): Check => ({ name, substrate: 'both', reason: 'a reason', examine });
  const good = check('good', () => [{ state: 'ok', found: 'it', expected: 'it', cure: null }]);
  const broken = check('broken', () => Promise.reject(new Error('no answer')));
  const bad = check('bad', () => [{ state: 'failed', found: 'that', expected: 'it', cure: 'mend it' }]);
  const verdictOn = async (...checks: Check[]) => {
    const results = await examine(checks, { substrates: ['embedded'] });
    return [canRun('embedded', results), describeResults(results, ['embedded']).split('\n').at(-1)];
  };
  assert.deepEqual(await verdictOn(good), [true, 'embedded: can run']);
  assert.deepEqual((await examine([broken], { substrates: ['embedded'] })).map(({ state, found }) => [state, found]), [['unfinished', 'no answer']]);
  assert.deepEqual(await verdictOn(good, broken), [null, 'embedded: not known, since these came to no end: broken']);
  assert.deepEqual(await verdictOn(broken, bad), [false, 'embedded: cannot run, because of bad']);
});
