/**
 * The auditor with what it knows of evidence as a package of its own. One readable file
 * that judges a report, one that is loaded when there is evidence to derive it from, and one that both share; no dependency, no
 * install script.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

/** What is sent: the file that `npm pack` makes, with everything that it needs in it. */
export const MOST_PACKED_BYTES = 300 * 1024;
/** What somebody reads who wants to know what it does: rules may grow it, by no more than they need. */
export const MOST_UNPACKED_BYTES = 336 * 1024;
export const ROOT = new URL('../../', import.meta.url).pathname;

export interface AuditorPackage {
  readonly path: string;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}

export async function packAuditor(directory: string): Promise<AuditorPackage> {
  const stage = join(directory, 'ql3-rollout-auditor');
  await rm(stage, { recursive: true, force: true });
  await mkdir(stage, { recursive: true });
  await bundle(stage);
  const { version, license } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string; license: string };
  const manifest = {
    name: 'ql3-rollout-auditor',
    version,
    description: 'Says what is wrong with a report of the Qinglong 3 Worker rollout contract, and with the evidence that it came from.',
    license,
    type: 'module',
    engines: { node: '>=20.16' },
    bin: { 'ql3-audit': 'audit.js' },
    files: ['*.js', 'schemas'],
  };
  await writeFile(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await copyFile(join(ROOT, 'auditor', 'PACKAGE.md'), join(stage, 'README.md'));
  await copyFile(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'));
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], { cwd: stage });
  const [packed] = JSON.parse(stdout) as { filename: string; unpackedSize: number }[];
  if (packed === undefined) throw new Error('expected npm pack to say what it has packed, got nothing');
  const path = join(directory, packed.filename);
  await rm(stage, { recursive: true });
  return { path, packedBytes: (await stat(path)).size, unpackedBytes: packed.unpackedSize };
}

/** Types stripped, names and lines kept: what runs is what is read. Indented by tabs, which are half as long, and without the bundler's notes to other bundlers. */
async function bundle(outdir: string): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [{ in: join(ROOT, 'auditor/cli/main.ts'), out: 'audit' }],
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: '[name]',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    charset: 'utf8',
    minify: false,
    legalComments: 'none',
    // the auditor may need nothing that Node.js does not bring
    packages: 'bundle',
    logLevel: 'warning',
    write: false,
  });
  for (const { path, text } of outputFiles) await writeFile(path, text.replace(/^(?: {2})+/gm, (indent) => '\t'.repeat(indent.length / 2)).replaceAll('/* @__PURE__ */ ', ''), { mode: path.endsWith('/audit.js') ? 0o755 : 0o644 });
}
