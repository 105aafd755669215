import { createPublicKey, type KeyObject } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ATTESTATION_PATH, type BundleFiles } from '../../../evidence/bundle-layout.ts';
import { canonicalJson } from '../../../evidence/canonical-json.ts';
import { composeBundle, sealBundle } from '../../../evidence/compose-bundle.ts';
import { parseStrictJson } from '../../../evidence/strict-json.ts';
import { archiveOf } from '../../../evidence/testing/archive.ts';
import { contentsOf } from '../../../evidence/testing/bundle-story.ts';
import { completeRun } from '../../../evidence/testing/complete-run.ts';
import { renumber } from '../../../evidence/testing/story.ts';
import { auditReport } from '../../audit-report.ts';
import { auditBundle } from '../../bundle/audit-bundle.ts';
import { readBundle } from '../../bundle/read-bundle.ts';
import { readTar } from '../../bundle/read-tar.ts';
import { FINDING_CODES, type Finding } from '../../findings.ts';
import { InputError } from '../../input/read-file.ts';
import { mutateArchive } from './archive.ts';
import { makeHostileFolder } from './folder.ts';
import { Random } from './random.ts';
import { inventJson, mutateText } from './text.ts';

export interface TargetFigures {
  inputs: number;
  /** Inputs that nothing was found wrong with: white space, a value for another of its kind in a report alone, a content whose sum this target does not ask for. */
  accepted: number;
  /** Processor time: how busy the machine is otherwise is no fault of the auditor's. */
  slowestMs: number;
}
export interface FuzzFigures {
  readonly seed: number;
  readonly inputs: number;
  readonly targets: Readonly<Record<string, TargetFigures>>;
  readonly slowestMs: number;
  readonly peakMebibytes: number;
  /** What went wrong: target, number of the input, and how. */
  readonly failures: readonly string[];
}

const KNOWN_CODES: ReadonlySet<string> = new Set(FINDING_CODES.map((name) => `QL3_WORKER_KUBERNETES_LIVE_${name}`));
const SLOWEST_MS = 1000;
const SMALL_LOG_LINES = 30;
const CONTEXT = { profile: 'release', now: new Date('2026-03-01T00:00:00.000Z'), sourceCommittedAt: null } as const;
const REPORT_TEXT = readFileSync(new URL('../../../evidence/fixtures/report-v2-release.json', import.meta.url), 'utf8');
const PUBLIC_KEY: KeyObject = createPublicKey({ key: Buffer.from('302a300506032b6570032100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex'), format: 'der', type: 'spki' });

/** One way of handing something in: makes an input, and gives what the auditor answers. */
type Target = (random: Random) => () => readonly Finding[] | readonly string[];

/** Hands in what somebody would who wants the auditor to crash, hang, swell, write or stay silent; in this very process, so that nothing hides a crash. */
export function fuzz({ seed, inputs, only }: { readonly seed: number; readonly inputs: number; /** One way of handing in alone. */ readonly only?: string | undefined }): FuzzFigures {
  const random = new Random(seed);
  const root = mkdtempSync(join(tmpdir(), 'ql3-fuzz-'));
  const failures: string[] = [];
  const figures: Record<string, TargetFigures> = {};
  try {
    const targets = targetsBelow(root).filter(([name]) => only === undefined || name === only);
    for (let input = 0; input < inputs; input += 1) {
      const [name, target] = choose(random, targets);
      const here = (figures[name] ??= { inputs: 0, accepted: 0, slowestMs: 0 });
      const answer = target(random);
      const before = process.cpuUsage();
      const fault = faultOf(answer, here);
      const { user, system } = process.cpuUsage(before);
      const elapsedMs = (user + system) / 1000;
      here.inputs += 1;
      here.slowestMs = Math.max(here.slowestMs, Math.round(elapsedMs));
      if (fault !== null) failures.push(`${name}, input ${input}: ${fault}`);
      if (elapsedMs > SLOWEST_MS) failures.push(`${name}, input ${input}: ${Math.round(elapsedMs)} ms of processor time`);
    }
    if (readdirSync(root).length > 0) failures.push(`files were left or written: ${readdirSync(root).join(', ')}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  const peakMebibytes = Math.round(process.resourceUsage().maxRSS / 1024);
  return { seed, inputs, targets: figures, slowestMs: Math.max(...Object.values(figures).map(({ slowestMs }) => slowestMs)), peakMebibytes, failures };
}

function faultOf(answer: ReturnType<Target>, figures: TargetFigures): string | null {
  try {
    const found = answer();
    if (found.length === 0) figures.accepted += 1;
    const strange = found.find((each) => typeof each === 'object' && (!KNOWN_CODES.has(each.code) || typeof each.detail !== 'string'));
    if (strange !== undefined) return `an answer without a known code: ${JSON.stringify(strange).slice(0, 200)}`;
  } catch (error) {
    if (!(error instanceof InputError)) return error instanceof Error ? `${error.name}: ${error.message.slice(0, 300)}` : 'something was thrown';
  }
  return 'polluted' in {} ? 'Object.prototype was changed' : null;
}

function choose(random: Random, targets: readonly (readonly [string, number, Target])[]): readonly [string, Target] {
  let left = random.fraction() * targets.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight, target] of targets) {
    left -= weight;
    if (left < 0) return [name, target];
  }
  throw new Error('expected weights above nothing');
}

function targetsBelow(root: string): readonly (readonly [string, number, Target])[] {
  const { report, files } = smallBundle();
  const archive = archiveOf(files);
  const given = { text: `${canonicalJson(report)}\n`, value: report };
  const judge = (text: string): readonly Finding[] | readonly string[] => {
    const parsed = parseStrictJson(text);
    return parsed.ok ? auditReport(parsed.value, CONTEXT).findings : [parsed.message];
  };
  return [
    ['edited report', 50, (random) => toAnswer(mutateText(random, REPORT_TEXT), judge)],
    ['invented report', 15, (random) => toAnswer(inventJson(random), judge)],
    ['edited archive', 20, (random) => toAnswer(mutateArchive(random, archive), (bytes) => readTar(bytes).faults)],
    ['archive into the audit', 2, (random) => toAnswer(mutateArchive(random, archive), (bytes) => auditBundle(readTar(bytes), given, null))],
    ['edited part', 6, (random) => toAnswer(editPart(random, files), (edited) => auditBundle({ files: edited, faults: [] }, given, null))],
    ['edited signature', 2, (random) => toAnswer(editSignature(random, files), (edited) => auditBundle({ files: edited, faults: [] }, given, random.chance(0.5) ? PUBLIC_KEY : null))],
    [
      'folder',
      0.5,
      (random) => {
        const folder = makeHostileFolder(random, root, files);
        return () => {
          try {
            return readBundle(folder).faults;
          } finally {
            rmSync(folder, { recursive: true, force: true });
          }
        };
      },
    ],
  ];
}

function toAnswer<T>(input: T, answer: (input: T) => ReturnType<ReturnType<Target>>): ReturnType<Target> {
  return () => answer(input);
}

/** Of the first lines of a log only: what is asked of each is the same, and the answers come sooner. */
function smallBundle(): { readonly report: unknown; readonly files: BundleFiles } {
  const whole = completeRun();
  const few = renumber([...whole.slice(0, SMALL_LOG_LINES), ...whole.filter(({ kind }) => kind === 'api.audit').slice(0, 10), ...whole.slice(-1)]);
  const contents = contentsOf(few);
  return { report: contents.report, files: composeBundle(contents) };
}

/** Half of them with sums put right, as a forger would. */
function editPart(random: Random, files: BundleFiles): BundleFiles {
  const path = random.pick([...files.keys()]);
  const edited = new Map([...files, [path, Buffer.from(mutateText(random, Buffer.from(files.get(path) ?? []).toString()))]]);
  return random.chance(0.5) ? sealBundle(edited) : edited;
}

function editSignature(random: Random, files: BundleFiles): BundleFiles {
  const envelope = canonicalJson({ payload: 'e30=', payloadType: 'application/vnd.in-toto+json', signatures: [{ keyid: 'a'.repeat(64), sig: 'AAAA' }] });
  return new Map([...files, [ATTESTATION_PATH, Buffer.from(`${random.chance(0.3) ? envelope : mutateText(random, envelope)}\n`)]]);
}
