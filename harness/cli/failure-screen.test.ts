import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CONTRACT_NAMES } from '../../evidence/contract-names.ts';
import { failureIndex, type FailureIndex } from '../../evidence/failure-index.ts';
import { faultsOf } from '../../evidence/shape.ts';
import { STEPS } from '../contract/step-catalogue.ts';
import { CommandProcess } from './testing/command-process.ts';

/** Rehearsals that are broken in the middle, as processes: what whoever started one reads first, and what is kept for later. */
const REHEARSE = ['rehearse', '--report=REPORT', '--junit=REPORT.xml'];

interface Failed {
  /** The first screen: what is said after the last line of progress. */
  readonly screen: string;
  readonly index: FailureIndex;
  readonly folder: string;
}

async function assertFailed(run: CommandProcess): Promise<Failed> {
  assert.deepEqual(await run.ended, { code: 1, signal: null }, run.stderr);
  assert.equal(run.stdout, '');
  assert.deepEqual(await run.leavings(), []);
  const { failureDirectory: folder } = run;
  assert.ok(folder !== null, run.stderr);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.deepEqual(run.sharedFiles(), []);
  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as FailureIndex;
  assert.deepEqual(faultsOf(failureIndex, index), []);
  assertListsItsFiles(index, folder);
  assert.match(readFileSync(run.reportPath.concat('.xml'), 'utf8'), /<testsuite name="run"[\s\S]*<failure /);
  const screen = run.stderr.slice(run.stderr.indexOf('\nfailed '));
  assertSaysOnce(screen, folder, index.runId);
  return { screen, index, folder };
}

function assertListsItsFiles({ files }: FailureIndex, folder: string): void {
  assert.deepEqual(files.map(({ path }) => path), readdirSync(folder).filter((name) => name !== 'index.json').sort());
  for (const { path, sizeBytes, sha256 } of files) {
    const content = readFileSync(join(folder, path));
    assert.deepEqual([content.length, createHash('sha256').update(content).digest('hex')], [sizeBytes, sha256], path);
  }
}

/** One screen of a terminal, no line twice, no dump, and what to do next at its end. */
function assertSaysOnce(screen: string, folder: string, runId: string): void {
  const lines = screen.split('\n').filter((line) => line.trim() !== '');
  assert.ok(lines.length <= 20, screen);
  assert.equal(new Set(lines).size, lines.length, screen);
  assert.doesNotMatch(screen, /because:|HTTP-Code|Headers:|idle|\n {4}at /);
  assert.deepEqual(lines.slice(-4).map((line) => line.trim().split(/ {2,}/)), [['run', runId], ['kept in', folder], ['look', `npx ql3-evidence explain ${folder}`], ['clean', `rm -r ${folder}`]]);
}

function assertTells(screen: string, told: { readonly step: keyof typeof STEPS; readonly expected: RegExp; readonly lastSeen: RegExp; readonly log: RegExp; readonly cause: RegExp }): void {
  const { step, expected, lastSeen, log, cause } = told;
  const isLate = /QL3_WAIT_TIMEOUT: /.test(screen);
  assert.ok(screen.startsWith(`\nfailed in step ${step}: ${STEPS[step].sentence} (after `), screen);
  assert.match(screen, new RegExp(`\\n {2}${isLate ? 'expected  ' : 'waited for'} ${expected.source}`), screen);
  assert.match(screen, new RegExp(`\\n {2}last seen {2}${lastSeen.source}`), screen);
  assert.doesNotMatch(screen, /\n {2}last seen [^\n]*\{"/, screen);
  assert.match(screen, /\n {2}since {6}[\d.]+ s ago; waited [\d.]+ s/, screen);
  assert.match(screen, log, screen);
  assert.match(screen, new RegExp(`${isLate ? '' : '^[^\\n]*\\n[^\\n]*\\n'}\\n {2}cause {6}${cause.source}`), screen);
}

describe('the first screen of a rehearsal that fails', { skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  test('when the Worker is killed: names its container, and shows its log', async () => {
    await using run = new CommandProcess(REHEARSE, { umask: '000', holdAt: [STEPS['generation-4'].sentence] });
    await run.said(STEPS['generation-4'].sentence);
    process.kill(run.processOf(`${CONTRACT_NAMES.deployment}-`), 'SIGKILL');
    run.goOn();
    const { screen, index, folder } = await assertFailed(run);
    assertTells(screen, {
      step: 'generation-4',
      expected: /(the host to execute action|PostgreSQL to take|a new Pod of Deployment)/,
      lastSeen: /\S/,
      log: /\n {2}log {8}of container worker of Pod ql3-worker-rollout-live\/ql3-worker-live-[^\n]*:\n(?: {13}\| [^\n]+\n){3}/,
      cause: /QL3_CONTRACT: expected container worker of Pod ql3-worker-rollout-live\/\S+ to run until its Pod is deleted, it ended unasked \(exit code 137/,
    });
    assert.ok(index.files.some(({ kind }) => kind === 'rows') && index.files.some(({ kind }) => kind === 'events') && index.files.some(({ kind }) => kind === 'observations'));
    assert.equal(index.lines?.file?.startsWith('ql3-worker-rollout-live.ql3-worker-live-'), true);
    for (const { path } of index.files.filter(({ kind, of }) => kind === 'objects' && of.startsWith('secrets'))) assert.doesNotMatch(readFileSync(join(folder, path), 'utf8'), /"(data|stringData)"/);
  });

  test('when PostgreSQL is killed: names what was asked of it, and shows its log', async () => {
    await using run = new CommandProcess(REHEARSE, { holdAt: [STEPS['generation-2'].sentence] });
    await run.said(STEPS['generation-2'].sentence);
    process.kill(run.processNamed('bin/postgres\0-D'), 'SIGKILL');
    run.goOn();
    const { screen, index } = await assertFailed(run);
    assertTells(screen, {
      step: 'generation-2',
      expected: /(the host to execute action live\/live_generation_2|PostgreSQL to take)/,
      lastSeen: /\S/,
      log: /\n {2}log {8}of PostgreSQL:\n(?: {13}\| [^\n]+\n){3}/,
      cause: /QL3_PLATFORM_DIED: expected PostgreSQL to live as long as the run/,
    });
    assert.ok(index.missing.some(({ what, why }) => what === 'rows of the database' && why.length < 400 && !why.includes('\n')), JSON.stringify(index.missing));
  });

  test('when the API server freezes: names the request that nobody answers, asks it nothing more, and keeps what was followed of the logs', async () => {
    await using run = new CommandProcess(REHEARSE, { holdAt: [STEPS['generation-2'].sentence] });
    await run.said(STEPS['generation-2'].sentence);
    process.kill(run.processNamed('embedded/main.ts'), 'SIGSTOP');
    run.goOn();
    const { screen, index } = await assertFailed(run);
    assertTells(screen, {
      step: 'generation-2',
      expected: /the host to execute action live\/live_generation_2/,
      lastSeen: /\S/,
      log: /\n {2}log {8}of /,
      cause: /QL3_/,
    });
    assert.deepEqual(index.missing.filter(({ what }) => what.includes('objects')).map(({ why }) => why), ['the API server did not answer within 3000 ms']);
    assert.ok(index.files.some(({ kind }) => kind === 'pod-log'), 'expected the logs that were followed');
  });
});
