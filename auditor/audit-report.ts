import { findings, type Finding, type FindingName } from './findings.ts';
import { approvalExecution } from './questions/approval-execution.ts';
import { credentialRollout } from './questions/credential-rollout.ts';
import { database } from './questions/database.ts';
import { executorJob } from './questions/executor-job.ts';
import { gates } from './questions/gates.ts';
import { identity } from './questions/identity.ts';
import { limitations } from './questions/limitations.ts';
import { platform } from './questions/platform.ts';
import { productWorker } from './questions/product-worker.ts';
import type { AuditContext, Question } from './questions/question.ts';
import { rbac } from './questions/rbac.ts';
import { recovery } from './questions/recovery.ts';
import { secretExposure } from './questions/secret-exposure.ts';
import { fixtureOf, readShape } from './questions/shape.ts';
import { wellFormedValues } from './questions/well-formed-values.ts';

export interface Audit {
  readonly schemaVersion: 1;
  /** Of the report, when it is one of the known two. */
  readonly fixture: string | null;
  readonly findings: readonly Finding[];
  readonly compatible: boolean;
}

const QUESTIONS: readonly (readonly [FindingName, Question])[] = [
  ['PLATFORM', platform],
  ['DATABASE', database],
  ['APPROVAL_EXECUTION', approvalExecution],
  ['CREDENTIAL_ROLLOUT', credentialRollout],
  ['EXECUTOR_JOB', executorJob],
  ['RBAC', rbac],
  ['RECOVERY', recovery],
  ['IDENTITY', identity],
  ['PRODUCT_WORKER', productWorker],
  ['GATES', gates],
  ['LIMITATIONS', limitations],
];

/** Asks everything that can be asked of a report alone. Of one that has not its shape only the shape, the values that are well formed, and whether it holds secrets. */
export function auditReport(value: unknown, context: AuditContext): Audit {
  const shaped = readShape(value, context.profile);
  const { report } = shaped;
  const answers = report === null ? [...findings('REPORT_SHAPE', shaped.faults), ...wellFormedValues(value, shaped.faultPaths)] : QUESTIONS.flatMap(([name, question]) => findings(name, question(report, context)));
  return conclude(fixtureOf(value), [...findings('SECRET_EXPOSURE', secretExposure(value)), ...answers]);
}

export function conclude(fixture: string | null, found: readonly Finding[]): Audit {
  return { schemaVersion: 1, fixture, findings: found, compatible: found.length === 0 };
}
