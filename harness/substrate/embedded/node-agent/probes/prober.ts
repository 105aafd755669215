import type { NodeTiming } from '../node-timing.ts';
import { pause } from '../pod/termination.ts';
import { check, type CheckResult, type CheckTarget, type Probe } from './check.ts';

export interface Prober {
  readonly probe: Probe;
  readonly target: CheckTarget;
  readonly timing: NodeTiming;
  /** Look more often than the period says until the first success: readiness is then seen when it comes. */
  readonly isEager: boolean;
  /** Every single failure. */
  onFailure(why: string): void;
  /** The verdict when it changes: enough successes or failures in a row. */
  onVerdict(isPassing: boolean): void;
}

/** Probes until the signal is aborted. */
export async function runProber(prober: Prober, signal: AbortSignal): Promise<void> {
  const { probe } = prober;
  const { successThreshold = 1, failureThreshold = 3, periodSeconds = 10 } = probe;
  const streak = { isPassing: false, length: 0 };
  let eagerDelayMs = prober.isEager ? prober.timing.firstProbeRetryMs : Number.POSITIVE_INFINITY;
  await pause((probe.initialDelaySeconds ?? 0) * 1000, signal);
  while (!signal.aborted) {
    const why = await probeOnce(prober, signal);
    if (signal.aborted) return;
    const isPassing = why === null;
    const isEarly = !isPassing && eagerDelayMs < periodSeconds * 1000;
    if (!isEarly) {
      streak.length = streak.isPassing === isPassing ? streak.length + 1 : 1;
      streak.isPassing = isPassing;
      if (why !== null) prober.onFailure(why);
      if (streak.length === (isPassing ? successThreshold : failureThreshold)) prober.onVerdict(isPassing);
    }
    if (isPassing) eagerDelayMs = Number.POSITIVE_INFINITY;
    await pause(Math.min(eagerDelayMs, periodSeconds * 1000), signal);
    eagerDelayMs *= 2;
  }
}

async function probeOnce({ probe, target }: Prober, signal: AbortSignal): Promise<CheckResult> {
  const timeout = AbortSignal.timeout((probe.timeoutSeconds ?? 1) * 1000);
  return check(probe, target, AbortSignal.any([signal, timeout]));
}
