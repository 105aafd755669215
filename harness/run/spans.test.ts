import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpanRecorder } from './spans.ts';

test('time under overlapping spans is counted once, and time under none is told', async () => {
  const spans = new SpanRecorder();
  await Promise.all([spans.measure('a', () => spinUntil(20)), spans.measure('b', () => spinUntil(30))]);
  const spun = performance.now();
  while (performance.now() - spun < 10);
  const [before, unaccountedMs, after] = [spans.elapsedMs, spans.unaccountedMs, spans.elapsedMs];
  const longest = Math.max(...spans.all.map((span) => span.endMs)) - Math.min(...spans.all.map((span) => span.startMs));
  // the clock goes on from one look to the next
  const isBetween = before - longest - 0.001 <= unaccountedMs && unaccountedMs <= after - longest + 0.001;
  assert.ok(isBetween, `${unaccountedMs} ms under none of ${before} to ${after} ms, ${longest} ms from the first start to the last end`);
  assert.ok(unaccountedMs >= 9, `${unaccountedMs} ms`);
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
