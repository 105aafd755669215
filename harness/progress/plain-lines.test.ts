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
  assert.match(line, /^ +\+[\d.]+ s {2}waits for a Pod to run \(for \d+ s\); last seen: Pod w-1 Pending\n$/);
  awaited.resolve();
  await waiting;
  lines.end();
  clearTimeout(keepAlive);
});

test('how long earlier runs took is told first', () => {
  const told: string[] = [];
  new PlainLines({ activity: new Activity(), forecast: new Forecast([{ totalMs: 75_000, steps: {} }]), screen: { write: (line) => told.push(line) } }).end();
  assert.match(told.join(''), /^ +start {2}what begins then\n +\+\d+\.\d s {2}about 75 s, as the one earlier run here that held took\n$/);
});

test('the estimate says how many runs it is the median of', () => {
  const told: string[] = [];
  const past = [70_000, 400_000, 80_000].map((totalMs) => ({ totalMs, steps: {} }));
  new PlainLines({ activity: new Activity(), forecast: new Forecast(past), screen: { write: (line) => told.push(line) } }).end();
  assert.match(told.join(''), /about 80 s, as 3 earlier runs here took at the median\n$/);
});

test('what waits for the work of another does not say that nothing was seen, when the other has seen something', async () => {
  const activity = new Activity();
  const written = new EventEmitter();
  const heard: string[] = [];
  const lines = new PlainLines({ activity, forecast: new Forecast([]), screen: { write: (line) => void (heard.push(line), heard.length === 3 && written.emit('both')) }, silenceMs: 20 });
  const [there, keepAlive] = [Promise.withResolvers<void>(), setTimeout(() => undefined, 60_000)];
  const waiting = [activity.wait({ expected: 'the cluster to be there' }, () => there.promise), activity.wait({ expected: 'a node' }, (wait) => (wait.saw('no node yet'), there.promise))];
  await once(written, 'both');
  assert.match(heard[1] ?? '', /waits for the cluster to be there \(for \d+ s\)\n$/);
  assert.match(heard[2] ?? '', /waits for a node \(for \d+ s\); last seen: no node yet\n$/);
  there.resolve();
  await Promise.all(waiting);
  lines.end();
  clearTimeout(keepAlive);
});
