import { basename } from 'node:path';
import { textWidth } from '../cli/columns.ts';
import { wrap } from '../cli/wrap.ts';
import { PHASE_TITLES } from '../progress/task-titles.ts';
import type { Plan, PlannedStep } from './plan.ts';
import type { PlannedObject } from './planned-objects.ts';
import { SIDE_PROBES } from './side-probes.ts';

/** Of a terminal that nobody has made wider, where there is none. */
const LINE_LENGTH = 80;
/** What stands in a narrower column is no longer read as a sentence. */
const LEAST_COLUMN = 30;

/** For people: what the run would claim, stand on, do, make and leave. No line is longer than the terminal, or a usual one where there is none, unless a name in it is. */
export function describePlan(plan: Plan, columns: number | null = null): string {
  const length = textWidth(columns, LINE_LENGTH);
  return [
    ...describeClaim(plan, length),
    ...section('images (--json has the whole digests)', plan.images.map(({ role, name, from, where }) => [role, withShortDigest(name), `${from} (${where})`]), length),
    ...describeSteps(plan, length),
    ...section(
      'probes, which provoke what must be refused',
      plan.probes.map(({ id, isTried }) => [id, isTried ? '' : 'not tried: needs what this platform does not do']),
      length,
    ),
    ...describeObjects(plan.objects, length),
    ...section('while it runs there is', plan.platform.map(({ kind, name, what }) => [kind, name, withShortDigest(what)]), length),
    ...section('written', plan.writes.map(({ path, mode, stays, holds }) => [mode, path, `${stays}: ${holds}`]), length),
    '',
    'Nothing of this was done.',
  ].join('\n');
}

function describeClaim({ substrate, source, claim, probes }: Plan, length: number): string[] {
  const kind = claim.kind === 'release' ? 'release evidence' : `a rehearsal, since ${claim.because.join(', and ')}`;
  const unproven = [...claim.unproven, ...probes.flatMap(({ id, isTried }) => (isTried ? [] : [id]))];
  return [
    ...hanging(0, length, `a run on ${substrate} of ${source.revision.slice(0, 12)}${source.clean ? '' : ', with changes'}: ${kind}`),
    `fixture ${claim.fixture}`,
    ...(claim.refused === null ? [] : hanging(0, length, `it would be refused: ${claim.refused}`)),
    ...(unproven.length === 0 ? [] : hanging(0, length, `what the platform cannot prove: ${unproven.join(', ')}`)),
    '',
    'limitations that the report will name',
    ...claim.limitations.flatMap((limitation) => hanging(2, length, limitation)),
  ];
}

function describeSteps({ steps, tookMs }: Plan, length: number): string[] {
  const total = tookMs === null ? 'no run that held is remembered here' : `earlier runs here took ${seconds(tookMs)}`;
  const phases = [...new Set(steps.map(({ phase }) => phase))];
  return ['', `steps (${total})`, ...phases.flatMap((phase) => [`  ${PHASE_TITLES[phase]}`, ...steps.filter((step) => step.phase === phase).flatMap((step) => describeStep(step, length))])];
}

function describeStep({ id, sentence, deadlineMs, tookMs, gates }: PlannedStep, length: number): string[] {
  const limit = deadlineMs === null ? 'each part has its own deadline' : `at most ${seconds(deadlineMs)}`;
  const does = `${sentence} (${limit}${tookMs === null ? '' : `; took ${seconds(tookMs)}`})`;
  const counts = id === SIDE_PROBES ? ['counts for most of the probes below'] : gates.length === 0 ? [] : [`counts for ${gates.join(', ')}`];
  return beside(`    ${id.padEnd(18)} `, [does, ...counts], length);
}

/** In the order of their creation; those that come one after another from the same files stand together above these. */
function describeObjects(objects: readonly PlannedObject[], length: number): string[] {
  const filesOf = ({ file, patches }: PlannedObject): string => (patches.length === 0 ? file : `${file}, patched by ${patches.map((patch) => basename(patch)).join(', ')}`);
  return [
    '',
    `objects (${objects.length}), in the order of their creation`,
    ...objects.flatMap((object, index) => {
      const [before, after] = [objects[index - 1], objects[index + 1]];
      const { step, kind, namespace, name } = object;
      const isLastOfFiles = after === undefined || after.step !== step || filesOf(after) !== filesOf(object);
      return [
        ...(before?.step === step ? [] : [`  ${step}`]),
        ...hanging(4, length, `${kind} ${name}${namespace === null ? '' : `, in ${namespace}`}`),
        ...(isLastOfFiles ? hanging(8, length, filesOf(object)) : []),
      ];
    }),
  ];
}

/** A title and rows whose columns stand below each other; a last one that is left too little room stands below the others. */
function section(title: string, rows: readonly (readonly string[])[], length: number): string[] {
  const widths = rows.reduce<number[]>((known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)), []);
  const left = (row: readonly string[]): string => `  ${row.slice(0, -1).map((cell, column) => `${cell.padEnd(widths[column] ?? 0)}  `).join('')}`;
  const room = Math.min(...rows.map((row) => length - left(row).length));
  const isBeside = room >= LEAST_COLUMN && rows.every((row) => (row.at(-1) ?? '').split(' ').every((word) => word.length <= room));
  return ['', title, ...rows.flatMap((row) => (isBeside ? beside(left(row), [row.at(-1) ?? ''], length) : [left(row).trimEnd(), ...below((widths[0] ?? 0) + 4, row.at(-1) ?? '', length)]))];
}

/** Paragraphs in a column of their own. */
function beside(left: string, paragraphs: readonly string[], length: number): string[] {
  const lines = paragraphs.flatMap((text) => wrap(text, length - left.length));
  return lines.map((line, index) => `${index === 0 ? left : ' '.repeat(left.length)}${line}`.trimEnd());
}

function below(columns: number, text: string, length: number): string[] {
  return wrap(text, length - columns).map((line) => `${' '.repeat(columns)}${line}`);
}

/** A paragraph whose further lines stand a little to the right of its first. */
function hanging(columns: number, length: number, text: string): string[] {
  const [first = '', ...rest] = wrap(text, length - columns - 2);
  return [`${' '.repeat(columns)}${first}`, ...rest.map((line) => `${' '.repeat(columns + 2)}${line}`)];
}

/** A digest in full is nearly as long as a line. */
function withShortDigest(text: string): string {
  return text.replaceAll(/(@sha256:[0-9a-f]{12})[0-9a-f]{52}/g, '$1…');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
