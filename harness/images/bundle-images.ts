import { join } from 'node:path';
import type { Component } from '../../evidence/observation.ts';
import { bundleComponent, type ImageBundle } from './bundle.ts';
import { readSourceFiles, type SourceFiles } from './source-files.ts';

export interface ImageBundles {
  readonly files: SourceFiles;
  readonly bundles: Readonly<Record<Component, ImageBundle>>;
}

/** Bundles the three images side by side, each into a folder of its own below `directory`. */
export async function bundleImages(sourceDirectory: string, directory: string, signal: AbortSignal): Promise<ImageBundles> {
  const files = await readSourceFiles(sourceDirectory, signal);
  const bundle = (component: Component) => bundleComponent(component, { directory: sourceDirectory, files }, join(directory, component));
  const [worker, control, admin] = await Promise.all([bundle('worker'), bundle('control'), bundle('admin')]);
  return { files, bundles: { worker, control, admin } };
}

/** What the Dockerfiles set in the image's configuration, for where there is no image. */
export function imageConfiguration(revision: string): { readonly entrypoint: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  return { entrypoint: ['node', '/app/start.mjs'], env: { NODE_ENV: 'production', SOURCE_REVISION: revision } };
}
