/** Delays that are Kubernetes' own by default; tests shorten them. */
export interface NodeTiming {
  /** Between the second, third, … start of a container that keeps ending. The first restart is immediate. */
  readonly restartBackOff: { readonly initialMs: number; readonly maxMs: number; readonly resetAfterMs: number };
  /** What a container gets between SIGTERM and SIGKILL when its preStop hook has used up the grace period. */
  readonly minimumGraceMs: number;
  /** How often the sizes of emptyDir volumes with a limit are looked at. */
  readonly sizeCheckMs: number;
  /** First delay of the readiness and startup probes that are made between start and first success; it doubles up to the probe's own period. */
  readonly firstProbeRetryMs: number;
}

export const NODE_TIMING: NodeTiming = {
  restartBackOff: { initialMs: 10_000, maxMs: 300_000, resetAfterMs: 600_000 },
  minimumGraceMs: 2000,
  sizeCheckMs: 10_000,
  firstProbeRetryMs: 50,
};
