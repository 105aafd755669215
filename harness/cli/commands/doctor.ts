import type { SubstrateKind } from '../../substrate/substrate.ts';
import type { Places } from '../../doctor/checks/destinations.ts';
import type { Answer } from '../answer.ts';
import { BUNDLE_OPTIONS } from '../bundle-options.ts';
import { defineCommand } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { REPORT_OPTION } from '../report-path.ts';
import { SUBSTRATE_OPTION } from '../substrate-option.ts';

/** The places are findings here, each with its cure, where a run refuses the first that it cannot use. */
export const DESTINATION_OPTIONS = {
  report: { ...REPORT_OPTION, description: 'where the report will go: whether the run would take that path, and whether there is room' },
  bundle: { ...BUNDLE_OPTIONS.bundle, description: 'the same of the bundle' },
} as const;

export const command = defineCommand({
  name: 'doctor',
  summary: 'whether a run can run here; what stands in the way, and what to do about it',
  description: [
    'Looks at everything that a run needs of this machine, each with its reason and its cure: Docker by every way of finding it, its privileges, cgroups, disk and images, inotify limits, memory, addresses, clock, the source tree, the installation, and what earlier runs have left. It changes nothing and takes a few seconds at most.',
    'Without --substrate it looks at both. With --report and --bundle it looks at the places where they will go too: whether the run would take the path, and whether there is room. A warning keeps nobody from running.',
  ],
  usage: ['[--substrate=embedded|k3s] [--pull=missing|never]', ' [--report=/absolute/new.json] [--bundle=/absolute/new.tar] [--json]'],
  examples: [
    { command: 'npx ql3-evidence doctor --substrate=k3s', shows: 'whether the release path can run here' },
    { command: 'npx ql3-evidence doctor --report=$HOME/ql3/release.json --bundle=$HOME/ql3/release.tar', shows: 'whether report and bundle can be written there as well' },
    { command: 'npx ql3-evidence doctor --json', shows: 'every check as {name, substrate, state, found, expected, cure, reason}' },
  ],
  options: {
    substrate: SUBSTRATE_OPTION,
    pull: { value: 'WHEN', choices: ['missing', 'never'], description: 'as for the run: with never, an image that is not in the local store stands in the way' },
    ...DESTINATION_OPTIONS,
  },
  positionals: [],
  exits: { [EXIT_CODES.held.code]: 'the substrate that was asked for can run, or both', [EXIT_CODES.unfit.code]: 'one that was asked for cannot run, or it could not be found out' },
  run: ({ options: { substrate, pull = 'missing', report, bundle }, answer }) => doctor(substrate === undefined ? ['embedded', 'k3s'] : [substrate], pull, answer, { report, bundle }),
});

/** Looks, answers, and gives the exit code. */
export async function doctor(substrates: readonly SubstrateKind[], pull: 'missing' | 'never', answer: Answer, places: Places = {}): Promise<number> {
  const [{ CHECKS }, { destinations }, { canRun, examine }, { describeResults }] = await Promise.all([import('../../doctor/all-checks.ts'), import('../../doctor/checks/destinations.ts'), import('../../doctor/examine.ts'), import('../../doctor/describe-results.ts')]);
  const checks = await examine([...CHECKS, ...destinations(places)], { substrates, pull });
  const verdicts = Object.fromEntries(substrates.map((substrate) => [substrate, { canRun: canRun(substrate, checks) }]));
  answer.give({ schemaVersion: 1, substrates: verdicts, checks }, describeResults(checks, substrates));
  return Object.values(verdicts).every((verdict) => verdict.canRun === true) ? EXIT_CODES.held.code : EXIT_CODES.unfit.code;
}
