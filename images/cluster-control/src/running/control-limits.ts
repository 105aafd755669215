import type { ShieldLimits } from '../admission/overload-shield.ts';

export interface ControlLimits {
  readonly shield: ShieldLimits;
  readonly inFlight: number;
  readonly requestTimeoutMs: number;
  readonly drainTimeoutMs: number;
}

export const CONTROL_LIMITS: ControlLimits = {
  shield: { failuresPerPeer: 120, failuresOverall: 1_200, windowMs: 60_000 },
  inFlight: 64,
  requestTimeoutMs: 15_000,
  drainTimeoutMs: 10_000,
};
