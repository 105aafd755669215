import type Docker from 'dockerode';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Component } from '../../../evidence/observation.ts';
import { buildImage, type BuiltImage } from '../../images/build-image.ts';
import { bundleComponent } from '../../images/bundle.ts';
import { COMPONENTS } from '../../images/components.ts';
import { prepareContext } from '../../images/image-context.ts';
import { digestOfFile, imageBuiltFact } from '../../images/image-facts.ts';
import type { ResolvedImage } from '../../images/resolve-image.ts';
import { readSourceFiles, type SourceFiles } from '../../images/source-files.ts';
import type { PlatformFact, StartContext } from '../substrate.ts';
import type { Labels } from './run-labels.ts';
import { productTagOf } from './run-names.ts';

export interface ProductImage extends BuiltImage {
  readonly fact: PlatformFact;
}

/** Builds the three images side by side from the source; each comes as soon as it is ready. */
export function buildProductImages(docker: Docker, context: StartContext, base: Promise<ResolvedImage>, labels: Labels): Readonly<Record<Component, Promise<ProductImage>>> {
  const files = context.spans.measure('read the source', () => readSourceFiles(context.source.directory, context.signal));
  const make = (component: Component) => buildProductImage(docker, context, component, { files, base, labels });
  return { worker: make('worker'), control: make('control'), admin: make('admin') };
}

async function buildProductImage(
  docker: Docker,
  { source, directory, signal, runId, spans }: StartContext,
  component: Component,
  from: { readonly files: Promise<SourceFiles>; readonly base: Promise<ResolvedImage>; readonly labels: Labels },
): Promise<ProductImage> {
  const [files, base, version] = await Promise.all([from.files, from.base, versionOf(source.directory)]);
  const dockerfile = join(source.directory, COMPONENTS[component].folder, 'Dockerfile');
  const bundle = await spans.measure(`bundle the ${component} image`, () => bundleComponent(component, { directory: source.directory, files }, join(directory, 'images', component)));
  const context = await prepareContext(bundle.rootDirectory, dockerfile);
  const tag = productTagOf(COMPONENTS[component].repository, runId);
  const request = { component, context, base, tag, revision: source.revision, version, labels: from.labels };
  const built = await spans.measure(`build the ${component} image`, () => buildImage(docker, request, signal));
  const fact = imageBuiltFact(
    component,
    {
      name: tag,
      imageId: built.id,
      sourceRevision: source.revision,
      treeDigest: files.treeDigest,
      baseImage: `${base.name}@${base.digest}`,
      baseImageId: base.id,
      dockerfileDigest: await digestOfFile(dockerfile),
      lockFileDigest: files.lockFileDigest,
    },
    'docker',
  );
  return { ...built, fact };
}

async function versionOf(directory: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as { version: string };
  return version;
}
