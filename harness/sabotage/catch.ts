import type { GateName } from '../../evidence/gate-names.ts';
import type { ProbeId } from '../../evidence/observation.ts';
import type { SectionName } from '../../evidence/report.ts';

/** By what a lie is caught: a gate, a probe, a field of the report, or a finding code (without its prefix). */
export type Catch = `gates.${GateName}` | `probes.${ProbeId}` | `${SectionName}.${string}` | 'BUNDLE_INTEGRITY' | 'DERIVATION' | 'PROBES' | 'PLATFORM' | 'LIMITATIONS' | 'SECRET_EXPOSURE' | 'REPORT_SHAPE';

/** As the auditor has it. */
export interface Finding {
  readonly code: string;
  readonly detail: string;
}

const CODE_PREFIX = 'QL3_WORKER_KUBERNETES_LIVE_';

/** Everything that the findings of an audit name: their codes, and the gates, probes and fields that they speak of. */
export function namesIn(findings: readonly Finding[]): ReadonlySet<string> {
  const names = findings.flatMap(({ code, detail }) => {
    const [, gate] = /^gate (\w+):/.exec(detail) ?? [];
    const [, probe] = /^probe ([\w-]+):/.exec(detail) ?? [];
    const [, path] = /^(?:\$\.)?(\w+(?:\.\w+)+)(?:\[\d+\])?:/.exec(detail) ?? [];
    const named = [gate && `gates.${gate}`, probe && `probes.${probe}`, path].filter((name) => name !== undefined && name !== '');
    return [code.replace(CODE_PREFIX, ''), ...(named as string[])];
  });
  return new Set(names);
}

export function missingOf(wanted: readonly Catch[], found: ReadonlySet<string>): readonly Catch[] {
  return wanted.filter((name) => !found.has(name));
}
