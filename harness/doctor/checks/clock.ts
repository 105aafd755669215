import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { failed, ok, unknown, warning, type Check, type Examination, type Finding } from '../check.ts';
import { sharesKernel } from '../engine.ts';

/** Long enough for a clock that is being set or slewed hard to be seen. */
const WATCHED_FOR_MS = 500;
const MOST_DRIFT_MS = 50;
/** The log's times come from here, those of Pods and rows from the Engine's machine, and they are compared. */
const MOST_SKEW_MS = 1_000;
const SET_IT = 'set the clock: `timedatectl set-ntp true`, or ntpd/chronyd';
const NOT_BEHIND = 'a time after the last commit';
const STEADY = `real time and monotonic time to part by less than ${MOST_DRIFT_MS} ms in ${WATCHED_FOR_MS} ms`;
const TOGETHER = `the Engine's clock within ${MOST_SKEW_MS} ms of this one`;

export const clock: Check = {
  name: 'clock',
  substrate: 'both',
  reason: 'evidence is ordered in time, and certificates, leases and tokens are valid for minutes',
  async examine(examination) {
    const [behind, steady, together] = await Promise.all([notBehind(examination), isSteady(examination.signal), keepsWithEngine(examination)]);
    return [{ ...behind, of: 'time' }, { ...steady, of: 'steadiness' }, { ...together, of: "Docker's", substrate: 'k3s' }];
  },
};

async function notBehind(examination: Examination): Promise<Finding> {
  const { directory } = await examination.source();
  const { stdout } = await promisify(execFile)('git', ['-c', `safe.directory=${directory}`, 'log', '-1', '--format=%ct'], { cwd: directory, signal: examination.signal });
  return judgeTime(Date.now(), Number(stdout) * 1_000);
}

export function judgeTime(nowMs: number, committedAtMs: number): Finding {
  const at = (ms: number): string => new Date(ms).toISOString();
  const found = `${at(nowMs)}, last commit ${at(committedAtMs)}`;
  return nowMs >= committedAtMs ? ok(found, NOT_BEHIND) : failed(`${found}, which lies in the future`, NOT_BEHIND, SET_IT);
}

async function isSteady(signal: AbortSignal): Promise<Finding> {
  const before = realLeadMs();
  await delay(WATCHED_FOR_MS, undefined, { signal });
  return judgeDrift(realLeadMs() - before);
}

/** How far real time is before monotonic time; of several readings the one during which the least happened. */
function realLeadMs(): number {
  const readings = Array.from({ length: 8 }, () => {
    const [before, real, after] = [performance.now(), Date.now(), performance.now()];
    return { tookMs: after - before, leadMs: real - before };
  });
  return readings.reduce((best, reading) => (reading.tookMs < best.tookMs ? reading : best)).leadMs;
}

export function judgeDrift(driftMs: number): Finding {
  const found = `real and monotonic time parted by ${Math.abs(driftMs).toFixed(1)} ms`;
  return Math.abs(driftMs) < MOST_DRIFT_MS ? ok(found, STEADY) : warning(`${found}: the clock is being set`, STEADY, 'wait until the clock has been set, then run');
}

async function keepsWithEngine({ engine }: Examination): Promise<Finding> {
  const answered = await engine();
  if (answered === null) return { ...unknown('no Docker Engine answers', TOGETHER), state: 'skipped' };
  if (sharesKernel(answered.info)) return ok('the Engine has the clock of this machine', TOGETHER);
  return judgeSkew(Date.parse(answered.info.SystemTime) - answered.askedAtMs);
}

export function judgeSkew(skewMs: number): Finding {
  const found = `the Engine's clock differs by ${Math.round(skewMs)} ms`;
  return Math.abs(skewMs) <= MOST_SKEW_MS ? ok(found, TOGETHER) : failed(found, TOGETHER, 'restart the machine that Docker runs in (a virtual one falls behind when its host sleeps), or set its clock');
}
