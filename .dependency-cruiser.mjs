/** The house's one-way streets (see CONTRIBUTING.md); tests may look at more than what they test. */
const TEST = '(\\.test\\.ts$|/testing/|/test-support/|/test-[a-z-]+\\.ts$|/write-(snapshot|schemas)\\.ts$)';
const within = (folder) => `^${folder}/`;

/** The command line calls the auditor for who asks for it; nothing that produces a report does. */
const ASKS_THE_AUDITOR = '^harness/cli/commands/(audit|explain)\\.ts$';

/** Documents are made from the tables of whatever they describe; no run imports them. */
const DOCUMENTS = '^harness/documentation/';

function only(name, from, allowed, comment) {
  return { name, comment, severity: 'error', from: { path: within(from), pathNot: `${TEST}|${ASKS_THE_AUDITOR}|${DOCUMENTS}` }, to: { path: '^(evidence|auditor|harness|images)/', pathNot: [within(from), ...allowed].join('|') } };
}

export default {
  forbidden: [
    only('evidence-stands-alone', 'evidence', [], 'what a report is depends on nothing else'),
    only('auditor-knows-evidence-alone', 'auditor', [within('evidence')], 'who judges shares no code with who is judged'),
    only('core-stands-alone', 'images/core', [], 'the domain does no I/O'),
    only('postgres-knows-core', 'images/postgres', [within('images/core')], ''),
    only('worker-knows-core', 'images/worker', [within('images/core')], ''),
    only('control-knows-core-and-postgres', 'images/cluster-control', [within('images/core'), within('images/postgres')], ''),
    only('admin-knows-core-and-postgres', 'images/cluster-admin', [within('images/core'), within('images/postgres')], ''),
    only('harness-knows-evidence-and-admin', 'harness', [within('evidence'), '^images/cluster-admin/src/index\\.ts$'], 'the harness performs host actions through the public interface of cluster-admin'),
    {
      name: 'asking-the-auditor',
      comment: 'the commands that call the auditor know it, evidence and their own frame',
      severity: 'error',
      from: { path: ASKS_THE_AUDITOR },
      to: { path: '^(evidence|auditor|harness|images)/', pathNot: [within('evidence'), within('auditor'), within('harness')].join('|') },
    },
    {
      name: 'auditor-without-dependencies',
      comment: 'it must be possible to read all that judges a report',
      severity: 'error',
      from: { path: '^(auditor|evidence)/', pathNot: TEST },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer'] },
    },
    {
      name: 'no-io-in-evidence',
      comment: 'conclusions are pure; private-file modules alone touch the disk',
      severity: 'error',
      from: { path: '^(evidence|images/core)/', pathNot: `${TEST}|^evidence/(report-file|observation-log|observation-file|private-file[a-z-]*)\\.ts$` },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer|util)$' },
    },
    { name: 'nobody-needs-documents', severity: 'error', from: { pathNot: DOCUMENTS }, to: { path: DOCUMENTS } },
    { name: 'no-tests-in-product', severity: 'error', from: { pathNot: TEST }, to: { path: TEST } },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
