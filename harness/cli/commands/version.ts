import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BUNDLE_FORMATS } from '../../../evidence/bundle-layout.ts';
import { PINNED_BASE_IMAGE, PINNED_IMAGES, PINNED_KUBERNETES_VERSION, PINNED_POSTGRES_MAJOR, REHEARSAL_FIXTURE, RELEASE_FIXTURE } from '../../../evidence/pins.ts';
import { defineCommand } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';

const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const GIT_DEADLINE_MS = 5_000;

export const command = defineCommand({
  name: 'version',
  summary: 'what this is: package, source revision, Node.js, formats and pins',
  description: ['The package, the Git revision of this clone and whether it was changed since, the Node.js that runs it, the contract and the formats that it writes and reads, and the images that release evidence must have run on.'],
  usage: ['[--json]'],
  examples: [
    { command: 'npx ql3-evidence version', shows: 'what to name when something is reported' },
    { command: 'npx ql3-evidence version --json', shows: 'the same, for a program' },
  ],
  options: {},
  positionals: [],
  async run({ answer }) {
    const { version } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as { version: string };
    const facts: Facts = {
      version,
      source: await readSource(),
      node: process.versions.node,
      fixtures: { release: RELEASE_FIXTURE, rehearsal: REHEARSAL_FIXTURE },
      reportSchemaVersion: 1,
      bundleFormats: Object.keys(BUNDLE_FORMATS),
      pins: { ...PINNED_IMAGES, base: PINNED_BASE_IMAGE, kubernetesVersion: PINNED_KUBERNETES_VERSION, postgresMajor: PINNED_POSTGRES_MAJOR },
    };
    answer.give({ schemaVersion: 1, ...facts }, describe(facts));
    return EXIT_CODES.held.code;
  },
});

interface Source {
  readonly revision: string;
  /** Whether anything differs from that revision, files that Git does not know included. */
  readonly isDirty: boolean;
}

interface Facts {
  readonly version: string;
  /** Null outside of a clone, or without Git. */
  readonly source: Source | null;
  readonly node: string;
  readonly fixtures: Readonly<Record<'release' | 'rehearsal', string>>;
  readonly reportSchemaVersion: number;
  readonly bundleFormats: readonly string[];
  readonly pins: typeof PINNED_IMAGES & { readonly base: typeof PINNED_BASE_IMAGE; readonly kubernetesVersion: string; readonly postgresMajor: number };
}

async function readSource(): Promise<Source | null> {
  const git = async (...args: readonly string[]): Promise<string> => (await promisify(execFile)('git', ['-c', `safe.directory=${ROOT}`, '-C', ROOT, ...args], { timeout: GIT_DEADLINE_MS })).stdout.trim();
  try {
    // a package that lies in somebody else's checkout has no revision of its own
    if ((await git('rev-parse', '--show-prefix')) !== '') return null;
    const [revision, status] = await Promise.all([git('rev-parse', 'HEAD'), git('status', '--porcelain=v1', '--untracked-files=normal')]);
    return { revision, isDirty: status !== '' };
  } catch {
    return null;
  }
}

function describe({ version, source, node, fixtures, reportSchemaVersion, bundleFormats, pins }: Facts): string {
  const rows: readonly (readonly [string, string])[] = [
    ['ql3-evidence', version],
    ['source', source === null ? 'no Git clone' : `${source.revision}${source.isDirty ? ', changed since' : ''}`],
    ['Node.js', node],
    ['contract', `${fixtures.release}, ${fixtures.rehearsal}`],
    ['report', `schema version ${reportSchemaVersion}`],
    ['bundle', bundleFormats.join(', ')],
    ['Kubernetes', `${pins.kubernetesVersion}, ${pins.k3s.name}@${pins.k3s.digest}`],
    ['PostgreSQL', `${pins.postgresMajor}, ${pins.postgres.name}@${pins.postgres.digest}`],
    ['base image', `${pins.base.name}${pins.base.digest === null ? '' : `@${pins.base.digest}`}`],
  ];
  return rows.map(([name, value]) => `${name.padEnd(12)}  ${value}`).join('\n');
}
