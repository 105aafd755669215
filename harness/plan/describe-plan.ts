import { basename } from 'node:path';
import type { GateName } from '../../evidence/gate-names.ts';
import { PHASE_TITLES } from '../progress/task-titles.ts';
import type { Plan, PlannedStep } from './plan.ts';
import type { PlannedObject } from './planned-objects.ts';

/** For people: what the run would claim, stand on, do, make and leave. */
export function describePlan(plan: Plan): string {
  return [
    ...describeClaim(plan),
    ...section('images', plan.images.map(({ role, name, from, where }) => [role, name, `${from} (${where})`])),
    ...describeSteps(plan),
    ...section(
      'probes, which provoke what must be refused',
      plan.probes.map(({ id, isTried }) => [id, isTried ? '' : 'not tried: needs what this platform does not do']),
    ),
    ...section(`objects (${plan.objects.length})`, plan.objects.map(describeObject)),
    ...section('while it runs there is', plan.platform.map(({ kind, name, what }) => [kind, name, what])),
    ...section('written', plan.writes.map(({ path, mode, stays, holds }) => [mode, path, `${stays}: ${holds}`])),
    '',
    'Nothing of this was done.',
  ].join('\n');
}

function describeClaim({ substrate, source, claim }: Plan): string[] {
  const kind = claim.kind === 'release' ? 'release evidence' : `a rehearsal, since ${claim.because.join(', and ')}`;
  return [
    `a run on ${substrate} of ${source.revision.slice(0, 12)}${source.clean ? '' : ', with changes'}: ${kind}`,
    `fixture ${claim.fixture}`,
    ...(claim.refused === null ? [] : [`it would be refused: ${claim.refused}`]),
    ...(claim.unproven.length === 0 ? [] : [`what the platform cannot prove: ${claim.unproven.join(', ')}`]),
    ...section('limitations that the report will name', claim.limitations.map((limitation) => [limitation])),
  ];
}

function describeSteps({ steps, tookMs }: Plan): string[] {
  const total = tookMs === null ? 'no run that held is remembered here' : `earlier runs here took ${seconds(tookMs)}`;
  const phases = [...new Set(steps.map(({ phase }) => phase))];
  return ['', `steps (${total})`, ...phases.flatMap((phase) => [`  ${PHASE_TITLES[phase]}`, ...steps.filter((step) => step.phase === phase).flatMap(describeStep)])];
}

function describeStep({ id, sentence, deadlineMs, tookMs, gates }: PlannedStep): string[] {
  const limit = deadlineMs === null ? 'each part has its own deadline' : `at most ${seconds(deadlineMs)}`;
  return [`    ${id.padEnd(20)} ${sentence} (${limit}${tookMs === null ? '' : `; took ${seconds(tookMs)}`})`, ...wrapGates(gates)];
}

function wrapGates(gates: readonly GateName[]): string[] {
  return gates.length === 0 ? [] : [`${' '.repeat(25)}counts for ${gates.join(', ')}`];
}

function describeObject({ kind, namespace, name, file, patches, step }: PlannedObject): string[] {
  return [kind, namespace === null ? name : `${namespace}/${name}`, step, patches.length === 0 ? file : `${file}, patched by ${patches.map((patch) => basename(patch)).join(', ')}`];
}

/** A title and rows whose columns stand below each other. */
function section(title: string, rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>((known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)), []);
  return ['', title, ...rows.map((row) => `  ${row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ')}`.trimEnd())];
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
