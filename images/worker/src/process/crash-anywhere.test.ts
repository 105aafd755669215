import assert from 'node:assert/strict';
import { test } from 'node:test';

import { WorkerFixture } from '../../testing/worker-fixture.ts';

void test('kill -9 at every event of a start: each successor starts from what the volume holds, and registers once', async () => {
  await using fixture = await WorkerFixture.create();
  const openedBy = new Set<unknown>();
  for (const event of ['starting', 'reconciled', 'registered', 'active']) {
    const worker = fixture.start();
    await worker.event(event);
    worker.kill('SIGKILL');
    await worker.exit;
    for (const line of worker.events.all) if (line.event === 'registered') openedBy.add(line['sessionId']);
  }
  const last = fixture.start();
  const reconciled = await last.event('reconciled');
  assert.equal(reconciled['tornRecords'], 0);
  assert.equal(Number(reconciled['sessionsAbandonedEarlier']) + Number(reconciled['sessionsAbandonedNow']), reconciled['sessionsFound'], 'no session is left open, none was offline');
  assert.ok(Number(reconciled['sessionsFound']) >= openedBy.size);
  await last.event('active');
  last.kill('SIGTERM');
  const stopped = await last.event('stopped', { offlineConfirmed: true });
  assert.equal(await last.exitCode(), 0);
  assert.equal(fixture.ingress.row?.sessionId, stopped['sessionId']);
});
