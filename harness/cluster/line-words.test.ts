import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineInWords } from './line-words.ts';

test('a line of the product is told by its event and what it says, without what every line has', () => {
  const line = { schemaVersion: 1, component: 'qinglong3-worker', at: '2026-01-31T10:15:00.000Z', level: 'warn', event: 'request_failed', status: 503, workerId: 'w-1', route: null };
  assert.equal(lineInWords(line), 'warn request_failed status=503 workerId=w-1 route=null');
  assert.equal(lineInWords(line, { withTime: true }), '2026-01-31T10:15:00.000Z warn request_failed status=503 workerId=w-1 route=null');
  assert.equal(lineInWords({ event: 'registered', level: 'info', sessionId: 's' }), 'registered sessionId=s');
});
