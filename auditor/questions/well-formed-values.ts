import type { SectionName } from '../../evidence/report.ts';
import { SECTION_NAMES } from '../../evidence/report.ts';
import { isObject } from '../../evidence/shape.ts';
import { findings, type Finding, type FindingName } from '../findings.ts';
import { unmetValues } from './question.ts';

const ASKED_BY: Readonly<Record<SectionName, FindingName>> = {
  kubernetes: 'PLATFORM',
  postgresql: 'DATABASE',
  approvalExecution: 'APPROVAL_EXECUTION',
  credentialRollout: 'CREDENTIAL_ROLLOUT',
  callerDrivenExecutorJob: 'EXECUTOR_JOB',
  rbac: 'RBAC',
  recovery: 'RECOVERY',
  identityRollout: 'IDENTITY',
  productionWorker: 'PRODUCT_WORKER',
};

/**
 * Of a report that has not its shape, the values that the contract fixes and that are well formed all the same: one field that
 * is missing must not hide what the others say.
 */
export function wellFormedValues(value: unknown, faultPaths: readonly string[]): Finding[] {
  if (!isObject(value)) return [];
  return SECTION_NAMES.flatMap((name) => {
    const section = value[name];
    if (!isObject(section) || faultPaths.includes(`$.${name}`)) return [];
    const isFaulty = (field: string): boolean => faultPaths.some((path) => path === `$.${name}.${field}` || path.startsWith(`$.${name}.${field}.`) || path.startsWith(`$.${name}.${field}[`));
    return findings(ASKED_BY[name], unmetValues(name, section, (field) => !isFaulty(field)));
  });
}
