import { writeFileSync } from 'node:fs';
import type { Audited, Explained } from '../../junit/audit-suites.ts';
import { defineCommand } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { CALL } from '../program.ts';
import { assertUsableJunitPath, JUNIT_OPTION, writeJunit } from '../junit-option.ts';

const STDERR = 2;
/** Of each rule. */
const MOST_OBSERVATIONS = 12;

export const command = defineCommand({
  name: 'audit',
  summary: 'whether a report, and the evidence that it came from, may be believed',
  description: [
    'Lets the auditor judge a report: whether it is whole, consistent and of the pinned platform, and with --bundle whether it follows from what was seen. The auditor shares no code with what produced the report; auditor/cli/main.ts and the package of `npm run pack:auditor` judge the same without this one, and know no --junit.',
    'Of a signed bundle stderr names the key by its id, as the run did that signed it: the SHA-256 of the public key in DER, `openssl pkey -pubin -in KEY -outform DER | sha256sum`.',
    'stdout gets one JSON document with the findings. A table for people goes to stderr when that is a terminal, and not with --json.',
  ],
  usage: ['--report=/absolute/report.json [--profile=release|rehearsal]', ' [--bundle=/absolute/tar-or-folder [--public-key=/absolute/key.pem]]', ' [--observations=/absolute/folder-or-log]', ' [--source-committed-at=ISO] [--junit=/absolute/new.xml] [--json]'],
  examples: [
    { command: 'npx ql3-evidence audit --report=$HOME/ql3/release.json --bundle=$HOME/ql3/release.tar --public-key=$HOME/ql3/signer.pem', shows: 'all that can be checked of a release' },
    { command: 'npx ql3-evidence audit --report=$HOME/ql3/rehearsal.json --profile=rehearsal', shows: 'a rehearsal, which is never release evidence' },
  ],
  options: {
    report: { value: 'PATH', completes: 'file', description: 'the report, by its absolute path' },
    profile: { value: 'PROFILE', choices: ['release', 'rehearsal'], description: 'what it claims to be; release when not given' },
    bundle: { value: 'PATH', completes: 'file', description: 'the evidence that the report must follow from: an archive or a folder' },
    'public-key': { value: 'KEY', completes: 'file', description: "the signer's public key (PEM), which you know from elsewhere" },
    observations: { value: 'PATH', completes: 'file', description: 'the observation log alone, instead of a bundle' },
    junit: { ...JUNIT_OPTION, description: 'the auditor’s questions, and the gates and probes that the evidence tells of, as JUnit XML in a new private file' },
    'source-committed-at': { value: 'ISO', description: 'when the source revision was committed: no run of it can have begun before' },
  },
  positionals: [],
  exits: { 0: 'compatible', 1: 'findings', 2: 'unreadable, or usage' },
  async run({ options, json, answer }) {
    const { audit } = await import('../../../auditor/cli/audit.ts');
    assertUsableJunitPath(options.junit, []);
    const startedAt = performance.now();
    let told = '';
    let answered = '';
    // straight to the descriptor, as the auditor's own program does: both end with everything written
    const code = await audit(argumentsOf({ ...options, junit: undefined }, json), (descriptor, text) => {
      if (descriptor === STDERR) told += text;
      else answered += text;
      writeFileSync(descriptor, text);
    }, `${CALL} audit`);
    if (answered !== '') answer.wasGiven();
    if (code === EXIT_CODES.usage.code) answer.fail(errorOf(told.trim()), code);
    if (options.junit !== undefined && answered !== '') await keepJunit(options.junit, { audited: JSON.parse(answered) as Audited, options, seconds: (performance.now() - startedAt) / 1_000 });
    return code;
  },
});

/** By the code that the auditor told it with, as `explain` tells the same. */
function errorOf(told: string): Error {
  const [, code = 'QL3_USAGE', message = told] = /^([A-Z][A-Z0-9_]+): ([^]*)$/.exec(told) ?? [];
  return Object.assign(new Error(message), { code, exitCode: EXIT_CODES.usage.code });
}

/** As the auditor's own program reads them: `--name=value` alone. */
function argumentsOf(options: Readonly<Record<string, string | undefined>>, json: boolean): readonly string[] {
  return [...Object.entries(options).flatMap(([name, value]) => (typeof value === 'string' ? [`--${name}=${value}`] : [])), ...(json ? ['--json'] : [])];
}

async function keepJunit(path: string, { audited, options: { report, bundle, observations }, seconds }: { readonly audited: Audited; readonly options: Readonly<Record<'report' | 'bundle' | 'observations', string | undefined>>; readonly seconds: number }): Promise<void> {
  const [{ suitesOfAudit }, { FINDING_CODES }] = await Promise.all([import('../../junit/audit-suites.ts'), import('../../../auditor/findings.ts')]);
  await writeJunit(path, suitesOfAudit(audited, await explained(bundle ?? report), { questions: FINDING_CODES, hasEvidence: (bundle ?? observations) !== undefined, seconds }));
}

/** What cannot be explained has been found to be wrong by the auditor already. */
async function explained(evidence: string | undefined): Promise<Explained | null> {
  if (evidence === undefined) return null;
  const { explain, InputError } = await import('../../../auditor/explain/index.ts');
  try {
    return explain(evidence, { now: new Date(), most: MOST_OBSERVATIONS }).explanation;
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
