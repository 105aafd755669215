import type { JudgedCase, JudgedSuite } from './junit-xml.ts';

/** What the auditor answers, and the explanation of the same evidence, as far as a test report needs them. */
export interface Audited {
  readonly fixture: string | null;
  readonly findings: readonly { readonly code: string; readonly detail: string }[];
}

export interface Explained {
  readonly observedAt: string | null;
  readonly sourceRevision: string | null;
  readonly gates: readonly ExplainedVerdict[];
  readonly probes: readonly ExplainedVerdict[];
}

interface ExplainedVerdict {
  readonly name: string;
  readonly state: 'holds' | 'fails' | 'unproven' | 'open' | 'unjudged';
  readonly rules: readonly { readonly words: string; readonly met: boolean; readonly observations: readonly { readonly seq: number }[]; readonly moreObservations: number }[];
}

/** Questions that a report alone does not answer. */
const NEEDS_EVIDENCE: ReadonlySet<string> = new Set(['BUNDLE_INTEGRITY', 'DERIVATION', 'PROBES']);

/** A testcase for each of the auditor's questions, and one for each gate and probe, as far as the evidence that was given tells of it. */
export function suitesOfAudit({ fixture, findings }: Audited, explained: Explained | null, { questions, hasEvidence, seconds }: { readonly questions: readonly string[]; readonly hasEvidence: boolean; readonly seconds: number }): readonly JudgedSuite[] {
  const asked = questions.map((name): JudgedCase => {
    const details = findings.filter(({ code }) => code.endsWith(`_LIVE_${name}`)).map(({ detail }) => detail);
    if (details.length === 0 && !hasEvidence && NEEDS_EVIDENCE.has(name)) return { className: 'questions', name, outcome: { is: 'skipped', reason: 'no evidence was given, so it was not asked' } };
    return { className: 'questions', name, outcome: details.length === 0 ? { is: 'passed' } : { is: 'failed', message: details[0] ?? '', text: details.join('\n') } };
  });
  const judged = explained === null ? [] : [...explained.gates.map((gate) => toCase('gates', gate)), ...explained.probes.map((probe) => toCase('probes', probe))];
  return [
    {
      name: fixture ?? 'unknown fixture',
      timestamp: (explained?.observedAt ?? new Date(0).toISOString()).replace(/\.\d+Z$/, ''),
      seconds,
      properties: { sourceRevision: explained?.sourceRevision ?? 'unknown' },
      cases: [...asked, ...judged],
    },
  ];
}

function toCase(className: string, { name, state, rules }: ExplainedVerdict): JudgedCase {
  if (state === 'holds') return { className, name, outcome: { is: 'passed' } };
  if (state === 'unproven') return { className, name, outcome: { is: 'skipped', reason: 'this platform cannot prove it; the report does not claim it' } };
  if (state === 'open') return { className, name, outcome: { is: 'skipped', reason: 'the evidence that was given does not tell of it' } };
  if (state === 'unjudged') return { className, name, outcome: { is: 'skipped', reason: 'what it would be judged by is damaged or missing: see what the auditor finds' } };
  const unmet = rules.filter(({ met }) => !met).map(({ words, observations, moreObservations }) => `not observed that ${words} (${told(observations, moreObservations)})`);
  return { className, name, outcome: { is: 'failed', message: unmet[0] ?? 'the report says that it does not hold', text: unmet.join('\n') } };
}

function told(observations: readonly { readonly seq: number }[], more: number): string {
  if (observations.length === 0) return 'no observations';
  return `observations ${observations.map(({ seq }) => seq).join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
