import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Component } from '../../evidence/observation.ts';
import { COMPONENTS, type ComponentDefinition } from './components.ts';
import { digestFolder } from './folder-digest.ts';
import { ImageError } from './error.ts';
import type { SourceFiles } from './source-files.ts';

export interface ImageBundle {
  readonly component: Component;
  /** Stands for the image's file system: holds `app/*.mjs` and whatever else the image carries. */
  readonly rootDirectory: string;
  /** `sha256:` over the paths and contents below it: the same source gives the same id on every machine. */
  readonly contentId: string;
}

/** Old CommonJS packages ask for `require` at run time; ES modules have none. */
const REQUIRE_BANNER = "import { createRequire as ql3CreateRequire } from 'node:module'; const require = ql3CreateRequire(import.meta.url);";

/**
 * Bundles one image's entry points, each into a single file that needs nothing but Node.js. Deterministic: no time, no
 * absolute path and no order of files goes into the result.
 */
export async function bundleComponent(component: Component, source: { directory: string; files: SourceFiles }, rootDirectory: string): Promise<ImageBundle> {
  const definition = COMPONENTS[component];
  const app = join(rootDirectory, 'app');
  await mkdir(app, { recursive: true, mode: 0o755 });
  const outputs = await bundleEntries(definition, source);
  await Promise.all(outputs.map(({ name, contents }) => writeFile(join(app, name), contents, { mode: 0o644 })));
  await Promise.all(definition.folders.map(({ from, to }) => cp(join(source.directory, from), join(app, to), { recursive: true })));
  return { component, rootDirectory, contentId: `sha256:${await digestFolder(rootDirectory)}` };
}

async function bundleEntries(definition: ComponentDefinition, { directory, files }: { directory: string; files: SourceFiles }): Promise<{ name: string; contents: Uint8Array }[]> {
  const result = await build({
    absWorkingDir: directory,
    entryPoints: definition.entries.map((entry) => ({ in: join(directory, definition.folder, 'src', `${entry}.ts`), out: entry })),
    outdir: 'app',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    charset: 'utf8',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'eof',
    banner: { js: REQUIRE_BANNER },
    loader: { '.sql': 'text' },
    // optional accelerators that packages look for and do without
    external: ['pg-native', 'bufferutil', 'utf-8-validate', 'pg-cloudflare'],
    logLevel: 'silent',
  }).catch((error: unknown) => {
    throw new ImageError('IMAGE_BUNDLE_FAILED', `${definition.folder} does not bundle: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  });
  for (const [path, { bytes }] of Object.entries(result.metafile.inputs)) assertKnownInput(path, bytes, files);
  return result.outputFiles.map(({ path, contents }) => ({ name: path.slice(path.lastIndexOf('/') + 1), contents }));
}

/** What goes into an image is a tracked file or a locked dependency; a stray file cannot slip in. */
function assertKnownInput(path: string, bytes: number, files: SourceFiles): void {
  const isDependency = path.startsWith('node_modules/');
  if (bytes > 0 && !isDependency && !files.digests.has(path)) {
    throw new ImageError('IMAGE_BUNDLE_FAILED', `${path} went into an image but is no file of the source tree; add it to Git or remove its import`);
  }
}

