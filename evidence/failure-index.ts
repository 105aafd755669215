import { flag, integer, list, literal, nullable, object, oneOf, text, type TypeOf } from './shape.ts';

/** `index.json` of a failure folder: what is known of the failure, and what each file of the folder is. */
export const FAILURE_INDEX_FILE = 'index.json';

/** No failure of a run explains itself in more; who finds more has no index of ours before them. */
export const FAILURE_INDEX_LIMIT_BYTES = 4 * 1024 * 1024;

export const FAILURE_FILE_KINDS = [
  /** The chain of errors, as text. */
  'error',
  /** Where the time went: a list of `{name, startMs, endMs}`. */
  'spans',
  /** What the run said to people: a run log as a bundle has it. */
  'run-log',
  /** The observation log until the failure. */
  'observations',
  /** Log of a container of a Pod, and the one before its restart. */
  'pod-log',
  'pod-log-previous',
  /** Kubernetes objects of one kind and namespace; of Secrets the names of their keys alone. */
  'objects',
  /** Kubernetes events of one namespace. */
  'events',
  /** Rows of the contract's tables, without the columns that derive from secrets. */
  'rows',
  /** The API server's audit log. */
  'audit-log',
  /** Log of the cluster itself (K3s, or the embedded cluster's process). */
  'cluster-log',
  'database-log',
  /** Access to a cluster that was kept for inspection. */
  'kubeconfig',
  /** What could not be had, one a line. */
  'missing',
] as const;
export type FailureFileKind = (typeof FAILURE_FILE_KINDS)[number];

/** When a run failed that was in no step, for the end of a sentence. */
export const IN_NO_STEP = 'while none of its steps ran';

const SHA256 = /^[0-9a-f]{64}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const words = text();

/** Something was waited for. Milliseconds count from the start of the run. */
const expectation = object({
  expected: words,
  sinceMs: integer(),
  waitedMs: integer(),
  /** Null where something else bounds the wait. */
  deadlineMs: nullable(integer()),
  /** The last thing seen that was not yet what was expected; null when nothing was seen at all. */
  lastSeen: nullable(object({ text: words, atMs: integer() })),
  /** The step or part of one that waited. */
  by: nullable(words),
});

export const failureIndex = object({
  schemaVersion: literal(1),
  kind: literal('qinglong/worker-kubernetes-rollout-failure'),
  runId: text(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'a UUID'),
  substrate: oneOf('k3s', 'embedded'),
  /** Null when the run failed before it had read its source. */
  source: nullable(object({ revision: text(/^[0-9a-f]{40}$/, '40 hex characters'), clean: flag })),
  failedAt: text(ISO, 'an ISO 8601 instant'),
  elapsedMs: integer(),
  interruptedBy: nullable(oneOf('SIGINT', 'SIGTERM', 'SIGHUP')),
  exitCode: integer(),
  /** The step that failed, or that was under way; null where there was none: before the first, or between two. `id` is the contract's, or a name of the harness's own work. */
  step: nullable(object({ id: words, title: words, startedMs: integer() })),
  /** What that step waited for; null when it did not wait. */
  expectation: nullable(expectation),
  /** What else was waited for at that moment. */
  alsoWaiting: list(expectation, { atMost: 50 }),
  /** The lines of one log that say most about the failure; null when there are none. `file` is in this folder, or null when the log was read elsewhere. */
  lines: nullable(object({ of: words, file: nullable(words), lines: list(words, { atMost: 3 }) })),
  /** The error and what it came from, outermost first, without repetition. */
  causes: list(object({ code: nullable(words), message: words }), { atMost: 50 }),
  files: list(object({ path: words, kind: oneOf(...FAILURE_FILE_KINDS), of: words, sizeBytes: integer(), sha256: text(SHA256, '64 hex characters') }), { atMost: 5_000 }),
  missing: list(object({ what: words, why: words }), { atMost: 1_000 }),
});
export type FailureIndex = TypeOf<typeof failureIndex>;
export type FailedExpectation = TypeOf<typeof expectation>;

/** Whether what was waited for is what failed: it did not come in time. Whatever else failed ended that wait too, which then tells no more than what went on. */
export function isOfItsWait({ causes }: Pick<FailureIndex, 'causes'>): boolean {
  return causes.some(({ code }) => code === 'QL3_WAIT_TIMEOUT');
}
