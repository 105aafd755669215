import assert from 'node:assert/strict';
import { appendFile, chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, suite, test } from 'node:test';

import { WorkerError } from '../errors.ts';
import { JOURNAL_FILE, openJournal, rotateJournal, type OpenedJournal } from './open-journal.ts';
import { reconcile } from './reconciliation.ts';

const A = '01a2290b-f059-7036-ba60-e16719f43be0';
const B = '01a2290b-f059-7036-ba60-e16719f43be1';

void suite('the journal', () => {
  let root = '';
  let path = '';

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'ql3-journal-'));
    path = join(root, JOURNAL_FILE);
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  const openIt = (overrides: { workerId?: string; detachFromFormerOwner?: boolean } = {}): Promise<OpenedJournal> =>
    openJournal({ root, workerId: 'w', assertOwned: async () => {}, detachFromFormerOwner: false, ...overrides });

  /** One closed session, and one that registered and went no further; the last record is that of B. */
  async function writeTwoSessions(): Promise<{ bytes: Buffer; lastRecordAt: number }> {
    const { journal } = await openIt();
    await journal.append({ type: 'registering', sessionId: A });
    await journal.append({ type: 'registered', sessionId: A, generation: 1, version: 0 });
    await journal.append({ type: 'draining', sessionId: A, version: 1 });
    await journal.append({ type: 'offline', sessionId: A, version: 2 });
    await journal.append({ type: 'registering', sessionId: B });
    const lastRecordAt = journal.sizeBytes;
    await journal.append({ type: 'registered', sessionId: B, generation: 2, version: 3 });
    await journal.close();
    return { bytes: await readFile(path), lastRecordAt };
  }

  void test('sessions left open are closed as abandoned, once', async () => {
    await writeTwoSessions();
    const first = await openIt();
    assert.deepEqual(await reconcile(first.journal, first.found), {
      recordsFound: 7,
      sessionsFound: 2,
      sessionsOffline: 1,
      sessionsAbandonedEarlier: 0,
      sessionsAbandonedNow: 1,
      abandonedSessionIds: [B],
      tornRecords: 0,
      tornBytes: 0,
    });
    await first.journal.close();
    const second = await openIt();
    const counts = await reconcile(second.journal, second.found);
    assert.equal(counts.sessionsAbandonedNow, 0);
    assert.equal(counts.sessionsAbandonedEarlier, 1);
    await second.journal.close();
  });

  void test('a last record torn at any byte is cut off and reported, and the journal goes on', async () => {
    const { bytes, lastRecordAt } = await writeTwoSessions();
    for (let size = lastRecordAt + 1; size < bytes.length; size += 1) {
      await writeFile(path, bytes.subarray(0, size));
      const { journal, found } = await openIt();
      const counts = await reconcile(journal, found);
      assert.equal(counts.tornBytes, size - lastRecordAt);
      assert.equal(counts.tornRecords, 1);
      assert.equal(counts.recordsFound, 6);
      assert.deepEqual(counts.abandonedSessionIds, [B]);
      await journal.close();
      const again = await openIt();
      assert.equal(again.found.tornBytes, 0);
      assert.equal(again.found.records.length, 7);
      await again.journal.close();
    }
  });

  void test('blocks of the last record that never reached the disk are torn too', async () => {
    const { bytes, lastRecordAt } = await writeTwoSessions();
    for (const from of [lastRecordAt, lastRecordAt + 40, bytes.length - 10]) {
      const holed = Buffer.from(bytes);
      holed.fill(0, from);
      await writeFile(path, holed);
      const { journal, found } = await openIt();
      assert.equal(found.tornBytes, bytes.length - lastRecordAt);
      await journal.close();
    }
  });

  void test('one flipped bit in any byte of an earlier record stops the start with its offset, and nothing is changed', async () => {
    const { bytes } = await writeTwoSessions();
    const secondAt = bytes.indexOf(0x0a) + 1;
    const thirdAt = bytes.indexOf(0x0a, secondAt) + 1;
    for (let at = secondAt; at < thirdAt; at += 1) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      await writeFile(path, damaged);
      await assert.rejects(openIt(), (error: unknown) => error instanceof WorkerError && error.code === 'WORKER_JOURNAL_DAMAGED' && error.facts['offset'] === secondAt);
      assert.deepEqual(await readFile(path), damaged);
    }
  });

  void test('a record that is missing, repeated or moved is damage', async () => {
    const { bytes } = await writeTwoSessions();
    const lines = bytes.toString('latin1').split('\n').slice(0, -1);
    const arrangements = [[0, 1, 3, 4, 5, 6], [0, 1, 1, 2, 3, 4, 5, 6], [0, 2, 1, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]];
    for (const arrangement of arrangements) {
      await writeFile(path, arrangement.map((index) => `${lines[index]}\n`).join(''));
      await assert.rejects(openIt(), { code: 'WORKER_JOURNAL_DAMAGED' });
    }
  });

  void test('a complete last record that does not check is damage: it was acknowledged once', async () => {
    const { bytes, lastRecordAt } = await writeTwoSessions();
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 5) ^ 1, bytes.length - 5);
    await writeFile(path, bytes);
    await assert.rejects(openIt(), (error: unknown) => error instanceof WorkerError && error.facts['offset'] === lastRecordAt);
  });

  void test('a journal of another Worker, a link, a folder and a file that others can write are refused', async () => {
    await writeTwoSessions();
    await assert.rejects(openIt({ workerId: 'another' }), { code: 'WORKER_JOURNAL_FOREIGN' });
    await rm(path);
    await writeFile(path, '', { mode: 0o666 });
    await chmod(path, 0o666);
    await assert.rejects(openIt(), { code: 'WORKER_FILE_REFUSED' });
    await rm(path);
    await symlink('/dev/null', path);
    await assert.rejects(openIt(), { code: 'WORKER_JOURNAL_UNAVAILABLE' });
  });

  void test('a former owner that still lives writes past us: after a detach its file is another one', async () => {
    const former = await openIt();
    await former.journal.append({ type: 'registering', sessionId: A });
    const ours = await openIt({ detachFromFormerOwner: true });
    await former.journal.append({ type: 'registered', sessionId: A, generation: 1, version: 0 });
    await ours.journal.append({ type: 'abandoned', sessionId: A, reason: 'found_at_start' });
    await former.journal.close();
    await ours.journal.close();
    const { found, journal } = await openIt();
    assert.deepEqual(found.records.map((record) => record.type), ['created', 'registering', 'abandoned']);
    await journal.close();
  });

  void test('a lost volume is noticed before a record is written', async () => {
    const lost = new WorkerError('WORKER_LOCK_LOST', 'lost');
    const { journal } = await openIt();
    await journal.close();
    const after = await openJournal({ root, workerId: 'w', assertOwned: () => Promise.reject(lost), detachFromFormerOwner: false });
    const { size } = await stat(path);
    await assert.rejects(after.journal.append({ type: 'registering', sessionId: A }), lost);
    assert.equal((await stat(path)).size, size);
    await after.journal.close();
  });

  void test('a rotated journal starts anew and keeps the former one aside', async () => {
    const options = { root, workerId: 'w', assertOwned: async () => {}, detachFromFormerOwner: false };
    const opened = await openJournal(options);
    await reconcile(opened.journal, opened.found);
    const journal = await rotateJournal(opened.journal, options);
    await journal.append({ type: 'registering', sessionId: A });
    await journal.close();
    assert.equal((await openIt()).found.records.length, 2);
    assert.match(await readFile(join(root, 'worker-sessions.previous.journal'), 'utf8'), /"created"/);
  });

  void test('bytes of a stranger at the end are damage, not a torn record', async () => {
    await writeTwoSessions();
    await appendFile(path, 'hello\nworld\n');
    await assert.rejects(openIt(), { code: 'WORKER_JOURNAL_DAMAGED' });
  });
});
