/** What can be wrong with evidence. The names are an interface: pipelines match on them. */
export const FINDING_CODES = [
  'REPORT_SHAPE',
  'SECRET_EXPOSURE',
  'PLATFORM',
  'DATABASE',
  'APPROVAL_EXECUTION',
  'CREDENTIAL_ROLLOUT',
  'EXECUTOR_JOB',
  'RBAC',
  'RECOVERY',
  'IDENTITY',
  'PRODUCT_WORKER',
  'GATES',
  'LIMITATIONS',
  'BUNDLE_INTEGRITY',
  'DERIVATION',
  'PROBES',
] as const;
export type FindingName = (typeof FINDING_CODES)[number];
export type FindingCode = `QL3_WORKER_KUBERNETES_LIVE_${FindingName}`;

export interface Finding {
  readonly code: FindingCode;
  readonly detail: string;
}

export function finding(name: FindingName, detail: string): Finding {
  return { code: `QL3_WORKER_KUBERNETES_LIVE_${name}`, detail };
}

/** Details of one question as findings of its code. */
export function findings(name: FindingName, details: readonly (string | null)[]): Finding[] {
  return details.filter((detail) => detail !== null).map((detail) => finding(name, detail));
}
