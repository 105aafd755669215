import { BUNDLE_OPTIONS, requestBundle } from '../bundle-options.ts';
import { columnsOf } from '../columns.ts';
import { defineCommand } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { assertUsableReportPath, REPORT_OPTION } from '../report-path.ts';
import { SUBSTRATE_OPTION } from '../substrate-option.ts';

export const command = defineCommand({
  name: 'plan',
  summary: 'what a run would do, without doing it',
  description: [
    'Tells what a run would claim, which images it would stand on, its steps with what each proves and how long it may take, its probes, the objects that it would create with the files that they come from, what would exist meanwhile, and what would be written where with which mode.',
    'It starts nothing, asks neither Docker nor a cluster, and writes nothing. The paths that are given are checked as the run would.',
  ],
  usage: ['[--substrate=embedded|k3s] [--report=/absolute/new.json]', ' [--bundle=/absolute/new.tar [--sign-key=/absolute/key.pem]] [--json]', '[--substrate=embedded|k3s] --manifests [--json]'],
  examples: [
    { command: 'npx ql3-evidence plan --substrate=k3s --report=$HOME/ql3/release.json', shows: 'what the release path would do' },
    { command: 'npx ql3-evidence plan --manifests', shows: 'the Kubernetes objects of a rehearsal as YAML, without the values of Secrets' },
  ],
  options: {
    substrate: { ...SUBSTRATE_OPTION, description: `${SUBSTRATE_OPTION.description} (default: embedded)` },
    report: REPORT_OPTION,
    ...BUNDLE_OPTIONS,
    manifests: { description: 'the objects as YAML instead; with --json beside the rest' },
  },
  positionals: [],
  async run({ options: { substrate = 'embedded', report, bundle: bundlePath, 'sign-key': signKey, manifests }, answer }) {
    if (report !== undefined) assertUsableReportPath(report);
    const bundle = requestBundle({ bundlePath, signKey, report });
    const [{ makePlan }, { describePlan }, { toYaml }, { readSourceTree }] = await Promise.all([import('../../plan/plan.ts'), import('../../plan/describe-plan.ts'), import('../../plan/manifests-yaml.ts'), import('../../run/source-tree.ts')]);
    const source = await readSourceTree(AbortSignal.timeout(SOURCE_WITHIN_MS));
    const plan = makePlan({ substrate, source, environment: process.env, reportPath: report ?? null, bundle: bundle === null ? null : { path: bundle.path, isSigned: bundle.signingKey !== null } });
    const objects = plan.objects.map(({ object: _object, ...planned }) => planned);
    answer.give({ schemaVersion: 1, ...plan, objects, ...(manifests ? { manifests: toYaml(plan.objects) } : {}) }, manifests ? toYaml(plan.objects) : describePlan(plan, columnsOf(process.stdout)));
    return EXIT_CODES.held.code;
  },
});

const SOURCE_WITHIN_MS = 10_000;
