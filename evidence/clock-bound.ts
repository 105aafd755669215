/**
 * Harness, API server and database run on one machine and read one kernel clock; what is left is rounding (PostgreSQL
 * times are whole milliseconds, audit times microseconds). Two instants of different witnesses may contradict the
 * order that they must have by at most this much.
 */
export const CLOCK_BOUND_MS = 5;

/**
 * How far a log's wall clock may have come away from its monotonic one: a pause between the two readings, and a clock that is being
 * corrected, at most by 500 parts in a million, as kernels slew it. A wall clock that was set in the middle of a run makes it no evidence.
 */
export const CLOCKS_APART_MS = 1_000;
export const CLOCK_SLEW = 0.0005;

/** Kubernetes object times (`creationTimestamp`, container states) are whole seconds, rounded down. */
export const KUBERNETES_TIME_STEP_MS = 1000;

/** How long the API server may take to log, or to show to the watch, what it has done already; processes are stopped for a while on a machine that is busy. */
export const SETTLING_MS = 5_000;
