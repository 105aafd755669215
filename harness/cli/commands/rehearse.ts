import { rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPORT_DIRECTORY_PREFIX } from '../../run/leavings.ts';
import { OWNER_FILE, writeOwnerFile } from '../../run/owner-file.ts';
import { createPrivateDirectory } from '../../run/run-directory.ts';
import { BUNDLE_OPTIONS, requestBundle } from '../bundle-options.ts';
import { defineCommand } from '../command.ts';
import { assertUsableJunitPath, JUNIT_OPTION } from '../junit-option.ts';
import { assertUsableReportPath, REPORT_OPTION } from '../report-path.ts';

export const command = defineCommand({
  name: 'rehearse',
  summary: 'the whole contract on this machine, without Docker; leaves a rehearsal report',
  description: [
    "Runs contract v2 and its probes on this machine: the product's real processes, PostgreSQL and TLS, on an embedded Kubernetes API; no Docker is needed. Derives the report from what was observed, lets the auditor judge it, and writes it to a new file of mode 0600. Without --report the file goes to a fresh private folder, whose path is printed.",
    'A rehearsal is never release evidence. stdout gets one JSON document when a report was written.',
  ],
  usage: ['[--report=/absolute/new.json]', ' [--bundle=/absolute/new.tar [--sign-key=/absolute/key.pem]]', ' [--junit=/absolute/new.xml] [--json]'],
  examples: [
    { command: 'npx ql3-evidence rehearse', shows: 'a rehearsal whose report goes to a fresh private folder' },
    { command: 'npx ql3-evidence rehearse --report=$HOME/ql3/rehearsal.json --bundle=$HOME/ql3/rehearsal.tar', shows: 'report and bundle, for an audit that derives the one from the other' },
  ],
  options: { report: REPORT_OPTION, ...BUNDLE_OPTIONS, junit: JUNIT_OPTION },
  positionals: [],
  async run({ options: { report, bundle: bundlePath, 'sign-key': signKey, junit }, answer }) {
    const bundle = requestBundle({ bundlePath, signKey, report });
    if (report !== undefined) assertUsableReportPath(report);
    assertUsableJunitPath(junit, [report, bundlePath]);
    const [{ performRun }, { EmbeddedSubstrate }] = await Promise.all([import('../perform-run.ts'), import('../../substrate/embedded/embedded-substrate.ts')]);
    if (report !== undefined) return await performRun({ substrate: new EmbeddedSubstrate(), reportPath: report, bundle, answer, junitPath: junit });
    const directory = createPrivateDirectory(REPORT_DIRECTORY_PREFIX);
    writeOwnerFile(directory, { runId: null });
    return await performRun({
      substrate: new EmbeddedSubstrate(),
      reportPath: join(directory, 'report.json'),
      bundle,
      answer,
      junitPath: junit,
      ownFolder: directory,
      onEnd: leaveFolder,
    });
  },
});

/** The folder is the reader's from now on; a run that left neither report nor evidence leaves no folder for them either. */
function leaveFolder(reportPath: string): void {
  try {
    rmSync(join(dirname(reportPath), OWNER_FILE), { force: true });
    rmdirSync(dirname(reportPath));
  } catch {
    // something is in it
  }
}
