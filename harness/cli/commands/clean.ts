import { HarnessError } from '../../run/errors.ts';
import { assertTemporaryFolder } from '../../run/run-directory.ts';
import type { Leaving } from '../../leavings/leaving.ts';
import { defineCommand } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const command = defineCommand({
  name: 'clean',
  summary: 'removes what dead runs have left, of every substrate',
  description: [
    'Finds what runs have left behind, of every substrate: containers, networks, volumes and images by label, private folders by their owner file and processes that still work in one, and the locks of killed first runs. Removes only what is provably dead: the process that made it, told by pid, start time, boot and machine, is gone. What a failed run kept for --keep=on-failure stays until its run is named, or an age. Folders are looked for in the present TMPDIR: for what runs with another one have left, call it with that. Reports and folders of failures are yours: they stay.',
  ],
  usage: ['[--run=UUID] [--older-than=30m|12h|7d] [--dry-run] [--expect-none] [--json]'],
  examples: [
    { command: 'npx ql3-evidence clean', shows: 'removes what killed runs have left, and says what it did' },
    { command: 'npx ql3-evidence clean --dry-run --json', shows: 'what would be removed, for a program' },
    { command: 'npx ql3-evidence clean --older-than=12h', shows: 'on a shared machine: also what failed runs kept, once it is old enough' },
  ],
  options: {
    run: { value: 'UUID', description: 'only what that run has left' },
    'older-than': { value: 'AGE', description: 'only what was made so long ago: minutes, hours or days, as 30m, 12h, 7d' },
    'dry-run': { description: 'say what would be removed, and remove nothing' },
    'expect-none': { description: 'exit code 6 when anything was found, whether in use, kept or neither' },
  },
  positionals: [],
  exits: { [EXIT_CODES.held.code]: 'clean, but for what is in use', [EXIT_CODES.uncleaned.code]: 'something could not be removed, or was found although none was expected' },
  async run({ options: { run: runId, 'older-than': age, 'dry-run': dryRun, 'expect-none': expectNone }, answer }) {
    if (runId !== undefined && !UUID.test(runId)) throw new HarnessError('QL3_USAGE', `expected --run=UUID as a run tells it, got ${JSON.stringify(runId.slice(0, 80))}`);
    assertTemporaryFolder();
    const madeBefore = age === undefined ? null : new Date(Date.now() - toMs(age));
    const [{ cleanLeavings }, { describeCleaned }] = await Promise.all([import('../../leavings/clean-leavings.ts'), import('../../leavings/describe-cleaned.ts')]);
    const cleaned = await cleanLeavings({ runId, madeBefore, dryRun });
    const { removed, inUse, kept, failures, dockerSkipped } = cleaned;
    const document = { removed: removed.map(named), inUse: inUse.map(named), kept: kept.map(named), failures: failures.map(({ leaving, reason }) => `${named(leaving)}: ${reason}`), dockerSkipped };
    answer.give({ schemaVersion: 1, dryRun, ...document, leavings: [...removed, ...inUse, ...kept, ...failures.map(({ leaving }) => leaving)] }, describeCleaned(cleaned, dryRun));
    return failures.length === 0 && !(expectNone && removed.length + inUse.length + kept.length > 0) ? EXIT_CODES.held.code : EXIT_CODES.uncleaned.code;
  },
});

function named({ kind, name }: Leaving): string {
  return `${kind} ${name}`;
}

function toMs(age: string): number {
  const [, count, unit = ''] = /^([1-9][0-9]{0,4})([mhd])$/.exec(age) ?? [];
  if (count === undefined) throw new HarnessError('QL3_USAGE', `expected --older-than=AGE in minutes, hours or days, as 30m, 12h or 7d, got ${JSON.stringify(age.slice(0, 80))}`);
  return Number(count) * (UNIT_MS[unit] ?? Number.NaN);
}
