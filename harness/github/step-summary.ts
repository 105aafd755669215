import type { Derivation } from '../../evidence/derive.ts';
import { isOfItsWait, type FailureIndex } from '../../evidence/failure-index.ts';
import { RELEASE_FIXTURE } from '../../evidence/pins.ts';
import { UNPROVABLE_ON_EMBEDDED } from '../../evidence/probes/all-probes.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import { inSeconds } from '../progress/in-seconds.ts';

export interface SummarisedReport {
  readonly path: string;
  /** 64 hex. */
  readonly sha256: string;
}

/** What a person reads below a job: the verdict first, then what it rests on. Everything that came from elsewhere is escaped. */
export function summaryOfHeld(derivation: Derivation, { report, elapsedMs }: { readonly report: SummarisedReport; readonly elapsedMs: number }): string {
  const { fixture, sourceRevision, limitations } = derivation.report;
  const isRelease = fixture === RELEASE_FIXTURE;
  return [
    `## ${isRelease ? 'Worker rollout on Kubernetes: held' : 'Rehearsal of the Worker rollout, which is no release evidence: held'}`,
    '',
    table(['', ''], [
      ['fixture', code(fixture ?? 'unknown')],
      ['source', code(sourceRevision ?? 'unknown')],
      ['report', code(report.path)],
      ['SHA-256 of the report', code(report.sha256)],
      ['images', imagesOf(derivation)],
      ['took', inSeconds(elapsedMs)],
    ]),
    '',
    ...(isRelease ? [] : ['Limitations that its report names:', '', ...limitations.map((limitation) => `- ${escaped(limitation ?? '')}`), '']),
    ...verdictTables(derivation),
  ].join('\n');
}

export function summaryOfFailure(failure: FailureIndex, derivation: Derivation | null): string {
  const { step, expectation, lines, causes, interruptedBy, elapsedMs, substrate } = failure;
  const isLate = isOfItsWait(failure);
  const waited = expectation === null ? [] : [[isLate ? 'expected' : 'waited for', escaped(expectation.expected)], ['last seen', escaped(expectation.lastSeen?.text ?? 'nothing')], ['waited', inSeconds(expectation.waitedMs)]];
  const why = ['cause', causes.map(({ code: name, message }) => `${name === null ? '' : `${code(name)} `}${escaped(message)}`).join('<br>')];
  return [
    `## ${substrate === 'embedded' ? 'Rehearsal of the Worker rollout' : 'Worker rollout on Kubernetes'}: ${interruptedBy === null ? 'failed' : `interrupted by ${interruptedBy}`}`,
    '',
    table(['', ''], [
      ['step', step === null ? 'none ran' : `${code(step.id)} ${escaped(step.title)}`],
      ...(isLate ? [...waited, why] : [why, ...waited]),
      ['after', inSeconds(elapsedMs)],
    ]),
    '',
    ...(lines === null ? [] : [`Log of ${escaped(lines.of)}:`, '', fenced(lines.lines), '']),
    ...(derivation === null ? [] : verdictTables(derivation)),
  ].join('\n');
}

function verdictTables({ report, gates, probes }: Derivation): string[] {
  const unproven = new Set<string>('unproven' in report ? (report.unproven as readonly string[]) : []);
  if (report.kubernetes.distribution === 'embedded') for (const probe of UNPROVABLE_ON_EMBEDDED) unproven.add(probe);
  const rows = (verdicts: Readonly<Record<string, Verdict>>): string[][] => Object.entries(verdicts).map(([name, verdict]) => [code(name), stateOf(verdict, unproven.has(name)), String(verdict.because.length)]);
  return [table(['gate', '', 'observations'], rows(gates)), '', '<details><summary>probes</summary>', '', table(['probe', '', 'observations'], rows(probes)), '', '</details>', ''];
}

function stateOf({ holds, unmet }: Verdict, isUnproven: boolean): string {
  if (isUnproven) return '⚪ unproven here';
  return holds ? '✅ holds' : `❌ does not hold: ${escaped(unmet[0]?.rule ?? 'not observed')}`;
}

function imagesOf({ report: { kubernetes, postgresql, productionWorker } }: Derivation): string {
  const ids = { kubernetes: kubernetes.imageDigest, postgresql: postgresql.imageId, worker: productionWorker.workerImageId, control: productionWorker.controlImageId };
  return Object.entries(ids).map(([name, id]) => `${name} ${id === null ? '(a process)' : code(id)}`).join('<br>');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function code(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

/** As text of one table cell: neither HTML nor Markdown, and no mention of anybody. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[|\\`*_[\]#@~$!]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll(/\s*\n\s*/g, '<br>');
}

/** A fence that is longer than any in the text. */
function fenced(lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}text`, ...lines, fence].join('\n');
}
