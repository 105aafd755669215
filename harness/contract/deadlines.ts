/** Deadlines of single waits, milliseconds. Generous: a slow cluster is not a broken contract, a hanging one ends all the same. */
export const DEADLINES = {
  /** For what a step asks of API server and database, beside its waits. */
  answersMs: 120_000,
  /** For a platform that takes objects to have a node; the substrate's own deadline for it comes first. */
  platformMs: 200_000,
  podStartedMs: 120_000,
  podGoneMs: 120_000,
  jobMs: 180_000,
  heartbeatMs: 60_000,
  rolloutMs: 180_000,
} as const;
