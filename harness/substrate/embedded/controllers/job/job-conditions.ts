import type { Job } from '../runtime/objects.ts';
import { now } from '../runtime/timestamps.ts';

export type JobStatus = NonNullable<Job['status']>;
export type JobCondition = NonNullable<JobStatus['conditions']>[number];

/** Why a Job is over; Kubernetes announces it (SuccessCriteriaMet, FailureTarget) before the last Pods are gone. */
export interface Verdict {
  readonly outcome: 'Complete' | 'Failed';
  readonly reason: 'CompletionsReached' | 'BackoffLimitExceeded' | 'DeadlineExceeded';
  readonly message: string;
}

export function announcementOf(verdict: Verdict): string {
  return verdict.outcome === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
}

export function jobVerdict(job: Job, counts: { succeeded: number; failed: number }): Verdict | null {
  const { completions, parallelism = 1, backoffLimit = 6, activeDeadlineSeconds } = job.spec;
  if (counts.failed > backoffLimit) return { outcome: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  if (activeDeadlineSeconds !== undefined && msUntilDeadline(job) === 0) {
    return { outcome: 'Failed', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  }
  const isReached = completions === undefined ? counts.succeeded >= Math.min(1, parallelism) : counts.succeeded >= completions;
  return isReached ? { outcome: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' } : null;
}

/** Null without a deadline, or before the Job has started. */
export function msUntilDeadline(job: Job): number | null {
  const { activeDeadlineSeconds } = job.spec;
  const startTime = job.status?.startTime;
  if (activeDeadlineSeconds === undefined || startTime === undefined) return null;
  return Math.max(0, Date.parse(startTime) + activeDeadlineSeconds * 1000 - Date.now());
}

export function finishedAt(job: Job): number | null {
  const finished = job.status?.conditions?.find((condition) => isFinishing(condition) && condition.status === 'True');
  return finished === undefined ? null : Date.parse(finished.lastTransitionTime ?? job.metadata.creationTimestamp);
}

function isFinishing(condition: JobCondition): boolean {
  return condition.type === 'Complete' || condition.type === 'Failed';
}

export function withJobCondition(conditions: readonly JobCondition[], type: string, status: 'True' | 'False', reason: string, message: string): JobCondition[] {
  const before = conditions.find((condition) => condition.type === type);
  if (before?.status === status && before.reason === reason) return [...conditions];
  const at = now();
  return [...conditions.filter((condition) => condition.type !== type), { type, status, lastProbeTime: at, lastTransitionTime: at, reason, message }];
}
