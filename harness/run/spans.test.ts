import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpanRecorder } from './spans.ts';

test('time under overlapping spans is counted once, and time under none is told', async () => {
  const spans = new SpanRecorder();
  await Promise.all([spans.measure('a', () => spinUntil(20)), spans.measure('b', () => spinUntil(30))]);
  const spun = performance.now();
  while (performance.now() - spun < 10);
  const covered = spans.elapsedMs - spans.unaccountedMs;
  const longest = Math.max(...spans.all.map((span) => span.endMs)) - Math.min(...spans.all.map((span) => span.startMs));
  assert.ok(Math.abs(covered - longest) < 1, `${covered} ms covered, ${longest} ms from the first start to the last end`);
  assert.ok(spans.unaccountedMs >= 9, `${spans.unaccountedMs} ms`);
});

test('a span of work that fails is kept, and its error goes on', async () => {
  const spans = new SpanRecorder();
  await assert.rejects(spans.measure('fails', () => Promise.reject(new Error('why'))), /why/);
  assert.deepEqual(spans.all.map((span) => span.name), ['fails']);
});

async function spinUntil(ms: number): Promise<void> {
  const start = performance.now();
  while (performance.now() - start < ms) await Promise.resolve();
}
