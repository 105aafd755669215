import { describeExpected, EXPECTED_VALUES, meets, type Expected } from '../../evidence/expected-values.ts';
import type { Report, SectionName } from '../../evidence/report.ts';

export type Profile = 'release' | 'rehearsal';

export interface AuditContext {
  readonly profile: Profile;
  readonly now: Date;
  /** When the source revision was committed, where somebody knows it. */
  readonly sourceCommittedAt: Date | null;
}

/** Asks one thing of a report whose shape is known to be right; answers with what is wrong, one line each. */
export type Question = (report: Report, context: AuditContext) => readonly (string | null)[];

/** The values of a section that the contract fixes. */
export function fixedValues(report: Report, name: SectionName): string[] {
  return unmetValues(name, report[name]);
}

export function unmetValues(name: SectionName, section: Readonly<Record<string, unknown>>, isAsked: (field: string) => boolean = () => true): string[] {
  return Object.entries(EXPECTED_VALUES[name] as Readonly<Record<string, Expected>>)
    .filter(([field, expected]) => isAsked(field) && !meets(section[field], expected))
    .map(([field, expected]) => `${name}.${field}: expected ${describeExpected(expected)}, got ${JSON.stringify(section[field])}`);
}

export function distinct(path: string, values: readonly unknown[]): string | null {
  return new Set(values).size === values.length ? null : `${path}: expected ${values.length} different values, got one twice`;
}

export function equal(path: string, value: unknown, expected: unknown): string | null {
  return value === expected ? null : `${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(value)}`;
}

/** The Pods that each section names. A Pod has one part in the contract: a UID that turns up twice was copied. */
export function podUidsBySection(report: Report): Readonly<Record<'callerDrivenExecutorJob' | 'recovery' | 'productionWorker', readonly string[]>> {
  const { callerDrivenExecutorJob: job, recovery, productionWorker } = report;
  return {
    callerDrivenExecutorJob: [job.firstPodUid, job.replayPodUid],
    recovery: [recovery.oldPodUid, recovery.rotatedPodUid, recovery.crashReplacementPodUid, recovery.executorJobReplacementPodUid, recovery.identityReplacementPodUid],
    productionWorker: productionWorker.podUids,
  };
}

export function podsOfItsOwn(report: Report, name: keyof ReturnType<typeof podUidsBySection>): (string | null)[] {
  const { [name]: own, ...others } = podUidsBySection(report);
  const foreign = new Set(Object.values(others).flat());
  return [distinct(`${name}: Pod UIDs`, own), own.some((uid) => foreign.has(uid)) ? `${name}: a Pod UID is used by another section too` : null];
}
