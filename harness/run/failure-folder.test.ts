import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ApiException } from '@kubernetes/client-node';
import { failureIndex, type FailureIndex } from '../../evidence/failure-index.ts';
import { faultsOf } from '../../evidence/shape.ts';
import { collectFailureEvidence, writeFailureIndex } from './failure-evidence.ts';
import { FailureFolder } from './failure-folder.ts';
import { reasonOf } from './failure-reason.ts';
import { describeFailure } from './failure-screen.ts';
import { FAILURE } from './testing/run-ends.ts';

const TOKEN = `ql3w_live_generation_1_${'C'.repeat(43)}`;
const KEY = `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n-----END PRIVATE KEY-----`;

describe('the folder of a failure', () => {
  let base = '';
  let count = 0;
  before(() => void (base = mkdtempSync(join(tmpdir(), 'ql3-failure-'))));
  after(() => rmSync(base, { recursive: true }));
  const fresh = (): FailureFolder => new FailureFolder(join(base, `failure-${(count += 1)}`));
  const index = (folder: FailureFolder, failure: Partial<FailureIndex> = {}): FailureIndex => writeFailureIndex(folder, { ...FAILURE, lines: null, ...failure });

  test('is private whatever the umask, and is never one that is there already', () => {
    const umask = process.umask(0);
    try {
      const folder = fresh();
      folder.save('a.log', 'pod-log', 'ns/a/worker', 'line\n');
      index(folder);
      for (const path of [folder.path, ...readdirSync(folder.path).map((name) => join(folder.path, name))]) assert.equal(statSync(path).mode & 0o077, 0, path);
      assert.throws(() => new FailureFolder(folder.path), /EEXIST/);
    } finally {
      process.umask(umask);
    }
  });

  test('takes no line that holds a secret, from whomever it comes, and keeps the lines around it', () => {
    const folder = fresh();
    folder.save('ns.a.worker.log', 'pod-log', 'ns/a/worker', `before\n{"event":"x","token":"${TOKEN}"}\n${KEY}\nafter\n`);
    writeFileSync(join(folder.path, 'postgres.log'), `LOG: connection postgresql://user:${'p'.repeat(8)}@host/db\nFATAL: no\n`);
    chmodSync(join(folder.path, 'postgres.log'), 0o600);
    const { files } = index(folder);
    const content = files.map(({ path }) => readFileSync(join(folder.path, path), 'utf8')).join('\n');
    for (const secret of [TOKEN, 'AAAAAAAA', 'pppppppp', 'PRIVATE KEY-----']) assert.ok(!content.includes(secret), content);
    for (const kept of ['before', 'after', 'FATAL: no']) assert.ok(content.includes(kept), content);
  });

  test('has an index of the published shape, which names every file with its sum and leaves out what is none of its own', () => {
    const folder = fresh();
    folder.save('ns.a.worker.log', 'pod-log', 'ns/a/worker', 'one\n');
    symlinkSync('/etc/passwd', join(folder.path, 'k3s.log'));
    folder.miss('log of ns/b/worker', 'it is gone');
    const written = index(folder);
    assert.deepEqual(faultsOf(failureIndex, written), []);
    assert.deepEqual(JSON.parse(readFileSync(join(folder.path, 'index.json'), 'utf8')), written);
    assert.deepEqual(written.files.map(({ path, kind }) => [path, kind]), [['missing.txt', 'missing'], ['ns.a.worker.log', 'pod-log']]);
  });

  test('says once why many things are missing, in one line, and dumps no answer', () => {
    const folder = fresh();
    const refused = new ApiException(400, 'Bad Request', '{"kind":"Status","message":"previous terminated container \\"worker\\" in pod \\"a\\" not found"}', { 'x-header': 'y' });
    for (const pod of ['a', 'b']) folder.miss(`log of ${pod}`, reasonOf(refused));
    folder.miss('rows', reasonOf(new Error('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') })));
    index(folder);
    assert.equal(
      readFileSync(join(folder.path, 'missing.txt'), 'utf8'),
      'log of a, log of b: the API server answered 400: previous terminated container "worker" in pod "a" not found\nrows: fetch failed (connect ECONNREFUSED 127.0.0.1:1)\n',
    );
  });

  test('holds what there is when nobody can be asked any more', async () => {
    const folder = fresh();
    const observationsPath = join(base, 'observations.jsonl');
    writeFileSync(observationsPath, '{}\n');
    const substrate = { collectFailure: () => Promise.reject(new Error('the platform is gone')) };
    await collectFailureEvidence(folder, { substrate, cluster: null, lines: null, database: null, observationsPath, namespaces: ['ns'], spans: [], runLog: [], error: new Error('why'), signal: new AbortController().signal });
    const { files, missing } = index(folder);
    assert.deepEqual(files.map(({ kind }) => kind).sort(), ['error', 'missing', 'observations', 'run-log', 'spans']);
    assert.deepEqual(missing.map(({ why }) => why).sort(), ['the cluster was not there yet', 'the database was not there yet', 'the platform is gone']);
  });

  test('takes the observation log before anything else, which there may be no room for', async () => {
    const folder = fresh();
    const observationsPath = join(base, 'first.jsonl');
    writeFileSync(observationsPath, '{}\n');
    folder.save = () => {
      throw new Error('no space left on device');
    };
    await assert.rejects(collectFailureEvidence(folder, { substrate: null, cluster: null, lines: null, database: null, observationsPath, namespaces: [], spans: [], runLog: [], error: new Error('why'), signal: new AbortController().signal }));
    assert.deepEqual(readdirSync(folder.path), ['observations.jsonl']);
  });

  describe('shows three lines of the log that is concerned', () => {
    const logs: readonly (readonly [string, 'pod-log' | 'pod-log-previous' | 'database-log' | 'cluster-log', string, string])[] = [
      ['ns.w-1.worker.log', 'pod-log', 'ns/w-1/worker', '{"schemaVersion":1,"component":"c","event":"started","sessionId":"s"}\n{"event":"request_failed","status":503}\n{"event":"heartbeat"}\n{"event":"heartbeat","n":2}\n'],
      ['ns.w-1.worker.previous.log', 'pod-log-previous', 'ns/w-1/worker', 'fatal: the volume is owned\n'],
      ['ns.c-1.control.log', 'pod-log', 'ns/c-1/control', '{"event":"listening"}\n'],
      ['ns.j-1.executor.log', 'pod-log', 'ns/j-1/executor', '{"event":"refused"}\n'],
      ['postgres.log', 'database-log', 'PostgreSQL', 'LOG: ready\nFATAL: terminating connection\n'],
      ['k3s.log', 'cluster-log', 'K3s', 'level=info ok\n'],
    ];
    const linesFor = (failure: Partial<FailureIndex>): FailureIndex['lines'] => {
      const folder = fresh();
      for (const [name, kind, of, text] of logs) folder.save(name, kind, of, text);
      return index(folder, { expectation: null, causes: [], ...failure }).lines;
    };
    const cause = (code: string | null, message: string): Pick<FailureIndex, 'causes'> => ({ causes: [{ code, message }] });
    const inStep = (id: string): Pick<FailureIndex, 'step'> => ({ step: { id, title: id, startedMs: 0 } });

    for (const [why, failure, file] of [
      ['the Pod and container that the error names', { ...inStep('session-1'), ...cause('QL3_CONTRACT', 'expected container control of Pod ns/c-1 to run') }, 'ns.c-1.control.log'],
      ['before its restart, when it was started again', { ...inStep('session-1'), ...cause('QL3_CONTRACT', 'expected container worker of Pod ns/w-1 to run') }, 'ns.w-1.worker.previous.log'],
      ['PostgreSQL’s, when a query failed', { ...inStep('generation-2'), ...cause('57P01', 'terminating connection') }, 'postgres.log'],
      ['PostgreSQL’s, when it died', { ...inStep('generation-2'), ...cause('QL3_PLATFORM_DIED', 'expected PostgreSQL to live') }, 'postgres.log'],
      ['the cluster’s, when that died', { ...inStep('generation-2'), ...cause('QL3_PLATFORM_DIED', 'expected the cluster to live') }, 'k3s.log'],
      ['the executor’s, in its step', { ...inStep('generation-3'), ...cause('QL3_WAIT_TIMEOUT', 'expected Job x') }, 'ns.j-1.executor.log'],
      ['control’s, where it starts', { ...inStep('ingress'), ...cause('QL3_WAIT_TIMEOUT', 'expected readiness') }, 'ns.c-1.control.log'],
      ['the platform’s, while it comes up', { ...inStep('boot'), ...cause('QL3_WAIT_TIMEOUT', 'expected a node') }, 'k3s.log'],
    ] as const) {
      test(why, () => assert.equal(linesFor(failure)?.file, file));
    }

    test('the one that tells the error, not the stack and the brackets below it', () => {
      const crash = [
        '{"event":"started"}', 'node:internal/modules/cjs/loader:1504', '  throw err;', '  ^', '', "Error: Cannot find module '/app/main.js'", '    at Module._resolveFilename (node:internal/modules/cjs/loader:1501:15)',
        ...Array.from({ length: 12 }, (_, index) => `    at Function.executeUserEntryPoint [as runMain] (node:internal/errors:${index}:1)`), '    at node:internal/main/run_main_module:33:47 {', "  code: 'MODULE_NOT_FOUND',", '  requireStack: []', '}', '', 'Node.js v24.18.0', '',
      ].join('\n');
      const folder = fresh();
      folder.save('ns.w-1.worker.log', 'pod-log', 'ns/w-1/worker', crash);
      const lines = index(folder, { ...inStep('session-1'), expectation: null, causes: [] }).lines?.lines ?? [];
      assert.ok(lines.includes("Error: Cannot find module '/app/main.js'"), JSON.stringify(lines));
      assert.doesNotMatch(lines.join('\n'), /\bat |requireStack|^[\s}]*$|Node\.js v/m);
    });

    test('a stack, where the log has nothing else', () => {
      const folder = fresh();
      folder.save('ns.w-1.worker.log', 'pod-log', 'ns/w-1/worker', '    at f (/app/main.js:1:1)\n}\n');
      assert.equal(index(folder, { ...inStep('session-1'), expectation: null, causes: [] }).lines?.lines.length, 2);
    });

    test('those that tell of something wrong before others, in their order, JSON by what it says', () => {
      assert.deepEqual(linesFor({ ...inStep('generation-1'), ...cause('QL3_WAIT_TIMEOUT', 'expected a line') })?.lines, ['request_failed status=503', 'heartbeat', 'heartbeat n=2']);
    });
  });
});

describe('the first screen', () => {
  const commands = [{ title: 'look', command: 'npx x explain /f' }];

  test('has step, expectation, last sight, log, cause, folder and command, in this order, and nothing twice', () => {
    assert.equal(
      describeFailure({ ...FAILURE, causes: [{ code: 'QL3_WAIT_TIMEOUT', message: 'expected a new Pod of Deployment w to run within 180000 ms, waited 48000 ms; last seen at /api: …' }, { code: null, message: 'connect ECONNREFUSED' }] }, { folder: '/f', commands }),
      `failed in step generation-2: generation 2 is rotated on the host, and replayed (after 61.0 s)

  expected   a new Pod of Deployment w to run
  last seen  Pod w-1 Pending; worker waits (ImagePullBackOff) (1.0 s before the end of the wait)
  since      48.0 s ago; waited 48.0 s of at most 3 min 0 s

  log        of container worker of Pod ns/w-1:
             | one
             | two
             | three

  cause      QL3_WAIT_TIMEOUT: it did not come about in time
             connect ECONNREFUSED

  run        ${FAILURE.runId}
  kept in    /f
  look       npx x explain /f`,
    );
  });

  test('says nothing of a first step where there was none: it may have been between two', () => {
    assert.match(describeFailure({ ...FAILURE, step: null }, { folder: '/f', commands }), /^failed while none of its steps ran \(after /);
  });

  test('leads with what went wrong, and tells what was waited for then as that alone: nobody has failed by being called off', () => {
    const screen = describeFailure({ ...FAILURE, causes: [{ code: 'QL3_CONTRACT', message: 'expected container worker of Pod ns/w-1 to run until its Pod is deleted, it ended unasked' }] }, { folder: '/f', commands });
    assert.match(screen, /^failed in step [^\n]*\n\n {2}cause {6}QL3_CONTRACT: expected container worker[^\n]*\n\n {2}log {8}[^]*\n {2}waited for a new Pod of Deployment w to run\n {2}last seen {2}[^]*\n {2}kept in /);
    assert.doesNotMatch(screen, /\n {2}expected /);
  });

  test('fits the terminal, and tells all the same; of a long line of a log how it begins', () => {
    const seen = 'Pod w-1 Pending; '.repeat(9);
    const lines = ['one', `two ${'request_failed status=503 '.repeat(60)}`, `three path=/${'x'.repeat(70)} end`];
    const failure = { ...FAILURE, expectation: { ...FAILURE.expectation!, lastSeen: { text: seen.trim(), atMs: 60_000 } }, lines: { ...FAILURE.lines!, lines }, causes: [{ code: 'QL3_CONTRACT', message: `expected container worker of Pod ql3-worker-rollout-live/ql3-worker-live-6d5f to run until its Pod is deleted, it ended unasked (exit code 137)\n${'because of this and that '.repeat(9).trim()}` }] };
    const folder = `/${'long/'.repeat(20)}report.json.failure-7b1f6c1e`;
    const given = { folder, commands: [{ title: 'look', command: `npx ql3-evidence explain ${folder}` }] };
    const [wide, narrow] = [describeFailure(failure, given), describeFailure(failure, { ...given, columns: 80 })];
    assert.deepEqual(narrow.split('\n').filter((line) => line.length > 80 && !line.includes(folder) && !line.includes('x'.repeat(70))), []);
    assert.ok(wide.includes(`\n             | ${lines[1]}\n`), 'expected whole lines where no terminal is');
    const flat = (text: string): string => text.replace('\n  (after', ' (after').replaceAll(/\n {13}(?:\| )? +/g, ' ').replaceAll(/ +/g, ' ');
    assert.equal(flat(narrow).replace(/(\| two) .*/, '$1'), flat(wide).replace(/(\| two) .*/, '$1'));
    assert.match(narrow, /\n {13}\| two request_failed status=503 .*\n(?: {13}\| {3}\S.*\n){3} {13}\| {3}…\n {13}\| three\n/);
    assert.match(narrow, /\n {2}look {7}npx ql3-evidence explain \/long\S+$/);
  });

  test('cuts what was seen last between two words', () => {
    const screen = describeFailure({ ...FAILURE, expectation: { ...FAILURE.expectation!, lastSeen: { text: 'waiting '.repeat(60), atMs: 60_000 } } }, { folder: '/f', commands });
    assert.match(screen, /\n {2}last seen {2}(?:waiting )+… \(/);
  });

  test('names every gate that does not hold on a line of its own, up to a screenful', () => {
    const gates = Array.from({ length: 12 }, (_, index) => `gate g${index}: not observed that it was so (no observations)`);
    const screen = describeFailure({ ...FAILURE, expectation: null, lines: null, causes: [{ code: 'QL3_GATES', message: `expected every gate and probe that this platform can prove to hold, got 12 that do not: ${gates.join('; ')}` }] }, { folder: '/kept', commands: [] });
    assert.match(screen, /cause {6}QL3_GATES: expected every gate[^\n]* do not:?\s*\n {13}gate g0: /);
    assert.match(screen, /\(\d+ lines more between, in the folder.s error\.txt\)/);
    assert.ok(screen.split('\n').length < 20);
  });

  test('tells a cause whole where no folder keeps the rest', () => {
    const lines = Array.from({ length: 12 }, (_, index) => `to do ${index}`);
    const screen = describeFailure({ ...FAILURE, expectation: null, lines: null, causes: [{ code: 'QL3_ENVIRONMENT', message: lines.join('\n') }] }, { folder: null, commands: [] });
    for (const line of lines) assert.ok(screen.includes(line), line);
    assert.doesNotMatch(screen, /lines more/);
  });
});
