/**
 * Runs the contract once on K3s in Docker and prints where its time went, as ratios: a number of seconds says as much of the machine
 * as of the harness. Takes the same environment as the run itself. Everything is measured in that one run.
 *
 * The floor is what the contract waits for on any harness: the cluster's boot, three heartbeat intervals, and the starts of Pods.
 * That a replaced Pod must have stopped before the next one starts is no less given, but is told apart.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUNDLE_LAYOUT } from '../evidence/bundle-layout.ts';
import type { RunLogLine } from '../evidence/bundle-parts.ts';
import { readPodSightings } from './k3s/pod-sightings.ts';
import { intersect, lengthOf, subtract, union, type Interval } from './k3s/intervals.ts';
import { podStarts, podStops } from './k3s/pod-times.ts';

const HEARTBEATS_MS = 15_000;
const TARGETS = { timesTheFloor: 1.3, imageImportSeconds: 10 };
const seconds = (ms: number): number => Math.round(ms / 10) / 100;

const directory = mkdtempSync(join(tmpdir(), 'ql3-bench-k3s-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
const [report, bundle] = [join(directory, 'report.json'), join(directory, 'bundle')];
const startedAtMs = Date.now();
const child = spawn(process.execPath, [new URL('../harness/cli/bootstrap.mjs', import.meta.url).pathname, 'run', `--report=${report}`, `--bundle=${bundle}`, ...process.argv.slice(2)], {
  stdio: ['ignore', 'ignore', 'pipe'],
  env: { ...process.env, QL3_WORKER_KUBERNETES_ROLLOUT_LIVE: '1' },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
let talk = '';
child.stderr.on('data', (chunk: Buffer) => (talk = `${talk}${chunk.toString()}`.slice(-4_000)));
const [code] = (await once(child, 'exit')) as [number | null];
if (code !== 0) {
  process.stderr.write(talk);
  console.log(JSON.stringify({ schemaVersion: 1, exitCode: code }));
  process.exitCode = 1;
} else {
  console.log(JSON.stringify(measure(), null, 2));
}

function measure(): object {
  const totalMs = statSync(report).mtimeMs - startedAtMs;
  const spans = (readFileSync(join(bundle, BUNDLE_LAYOUT.runLog.path), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as RunLogLine)).filter((line): line is RunLogLine & { endMs: number } => line.endMs !== null);
  const spanOf = (name: string): Interval => {
    const span = spans.find(({ text }) => text === name);
    if (span === undefined) throw new Error(`expected the run to have measured ${JSON.stringify(name)}, got ${spans.map(({ text }) => text).join(', ')}`);
    return [span.atMs, span.endMs];
  };
  const boot: Interval = [spanOf('start the cluster')[0], spanOf('cluster ready')[1]];
  const importing = spanOf('put the images on the node');
  const { pods, clockBeganAtMs } = readPodSightings(join(bundle, BUNDLE_LAYOUT.observations.path), spanOf('step boot')[0]);
  const beforeMs = clockBeganAtMs - startedAtMs;
  // the contract's watches do not see this Pod, of which the start is nearly all
  const reaching = spanOf('a Pod reaches PostgreSQL');
  const eachStop = podStops(pods);
  const [starts, stops] = [union([...podStarts(pods), reaching]), union(eachStop)];
  const heartbeats = union(spans.filter(({ text }) => text.startsWith('heartbeat ')).map(({ atMs, endMs }) => [atMs, endMs]));
  const floorMs = lengthOf([boot]) + HEARTBEATS_MS + lengthOf(starts);
  const given = union([boot, ...starts, ...heartbeats]);
  const beyond = subtract([[-beforeMs, totalMs - beforeMs]], given);
  const leaves = spans.filter((span) => !spans.some((inner) => inner !== span && inner.atMs >= span.atMs && inner.endMs <= span.endMs));
  const share = (interval: Interval): number => lengthOf(intersect(beyond, [interval]));
  return {
    schemaVersion: 1,
    timesTheFloor: seconds((totalMs / floorMs) * 1000),
    timesTheFloorWithPodStops: seconds((totalMs / (floorMs + lengthOf(subtract(stops, given)))) * 1000),
    imageImportSeconds: seconds(importing[1] - importing[0]),
    targets: TARGETS,
    totalSeconds: seconds(totalMs),
    floorSeconds: { boot: seconds(lengthOf([boot])), heartbeats: seconds(HEARTBEATS_MS), podStarts: seconds(lengthOf(starts)), together: seconds(floorMs) },
    beyondTheFloorSeconds: {
      beforeTheFirstSpan: seconds(beforeMs),
      afterTheLastStep: seconds(totalMs - beforeMs - spanOf('step collect')[1]),
      together: seconds(lengthOf(beyond)),
      podStops: seconds(lengthOf(intersect(beyond, stops))),
      eachPodStop: eachStop.map(([from, to]) => seconds(to - from)),
      notEvenPodStops: seconds(lengthOf(subtract(beyond, stops))),
      bySpan: Object.fromEntries(spans.map(({ text, atMs, endMs }) => [text, seconds(lengthOf(subtract(intersect(beyond, [[atMs, endMs]]), stops)))] as const).filter(([, spent]) => spent >= 0.1).sort(([, a], [, b]) => b - a)),
    },
    sequential: leaves
      .filter((span) => !leaves.some((other) => other !== span && other.atMs < span.endMs && other.endMs > span.atMs) && share([span.atMs, span.endMs]) >= 100)
      .map(({ text, atMs, endMs }) => ({ span: text, seconds: seconds(share([atMs, endMs])) })),
  };
}
