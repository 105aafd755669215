import assert from 'node:assert/strict';
import { once, EventEmitter } from 'node:events';
import { test } from 'node:test';
import { Activity } from './activity.ts';
import { Forecast } from './forecast.ts';
import { PlainLines } from './plain-lines.ts';

test('whoever reads a log is told what is waited for when nothing else has been said for a while', async () => {
  const activity = new Activity();
  const written = new EventEmitter();
  const lines = new PlainLines({ activity, forecast: new Forecast([{ totalMs: 75_000, steps: {} }]), screen: { write: (line) => written.emit('line', line) }, silenceMs: 20 });
  const [awaited, keepAlive] = [Promise.withResolvers<void>(), setTimeout(() => undefined, 60_000)];
  const waiting = activity.wait({ expected: 'a Pod to run' }, (wait) => (wait.saw('Pod w-1 Pending'), awaited.promise));
  const [line] = (await once(written, 'line')) as [string];
  assert.match(line, /^ +[\d.]+ s {2}waits for a Pod to run \(for \d+ s\); last seen: Pod w-1 Pending\n$/);
  awaited.resolve();
  await waiting;
  lines.end();
  clearTimeout(keepAlive);
});

test('how long earlier runs took is told first', () => {
  const told: string[] = [];
  new PlainLines({ activity: new Activity(), forecast: new Forecast([{ totalMs: 75_000, steps: {} }]), screen: { write: (line) => told.push(line) } }).end();
  assert.match(told.join(''), /^ +\d+\.\d s {2}about 75 s, as earlier runs here took\n$/);
});
