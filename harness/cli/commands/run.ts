import { HarnessError } from '../../run/errors.ts';
import { BUNDLE_OPTIONS, requestBundle } from '../bundle-options.ts';
import { defineCommand } from '../command.ts';
import { assertUsableJunitPath, JUNIT_OPTION } from '../junit-option.ts';
import { assertUsableReportPath, REPORT_OPTION } from '../report-path.ts';

export const LIVE_SWITCH = 'QL3_WORKER_KUBERNETES_ROLLOUT_LIVE';

/** Everything about arguments and paths is refused here, before Docker is looked for. */
export const command = defineCommand({
  name: 'run',
  summary: `the release path: K3s and PostgreSQL in Docker (needs ${LIVE_SWITCH}=1)`,
  description: [
    'Starts the pinned K3s and PostgreSQL with Docker, builds the three images from the clean tree, runs contract v2 and its probes, and writes the report. Without Docker, use `npx ql3-evidence rehearse`.',
    `It starts privileged containers, so ${LIVE_SWITCH}=1 must allow it. stdout gets one JSON document when a report was written.`,
  ],
  usage: ['--report=/absolute/new.json [--pull=missing|never] [--keep=on-failure]', ' [--bundle=/absolute/new.tar [--sign-key=/absolute/key.pem]]', ' [--junit=/absolute/new.xml] [--json]'],
  examples: [
    { command: `${LIVE_SWITCH}=1 npx ql3-evidence run --report=$HOME/ql3/release.json`, shows: 'the report that a release needs' },
    { command: `${LIVE_SWITCH}=1 npx ql3-evidence run --report=$HOME/ql3/release.json --pull=never --keep=on-failure`, shows: 'with local images alone; the cluster of a failed run stays for inspection' },
  ],
  options: {
    report: REPORT_OPTION,
    ...BUNDLE_OPTIONS,
    pull: { value: 'WHEN', choices: ['missing', 'never'], description: 'missing (default): pull what is not there; never: use the local store alone' },
    junit: JUNIT_OPTION,
    keep: { value: 'WHEN', choices: ['on-failure'], description: 'leave the cluster of a failed run for inspection, and print how to look and how to clean' },
  },
  positionals: [],
  async run({ options: { report, pull = 'missing', keep, bundle: bundlePath, 'sign-key': signKey, junit }, answer }) {
    if (process.env[LIVE_SWITCH] !== '1') {
      throw new HarnessError('QL3_USAGE', `expected ${LIVE_SWITCH}=1, since this starts privileged containers, and it is ${process.env[LIVE_SWITCH] === undefined ? 'not set' : JSON.stringify(process.env[LIVE_SWITCH])}; \`npx ql3-evidence rehearse\` needs neither it nor Docker`);
    }
    if (report === undefined) throw new HarnessError('QL3_USAGE', 'expected --report=/absolute/new.json, got none');
    assertUsableReportPath(report);
    assertUsableJunitPath(junit, [report, bundlePath]);
    const bundle = requestBundle({ bundlePath, signKey, report });
    const [{ performRun }, { K3sSubstrate }] = await Promise.all([import('../perform-run.ts'), import('../../substrate/k3s/k3s-substrate.ts')]);
    return await performRun({ substrate: new K3sSubstrate({ pull, keepOnFailure: keep === 'on-failure' }), reportPath: report, bundle, answer, junitPath: junit });
  },
});
