import type Docker from 'dockerode';
import type { Readable } from 'node:stream';
import type { Component } from '../../evidence/observation.ts';
import { expecting } from '../progress/activity.ts';
import { COMPONENTS } from './components.ts';
import { lastOutput, readEngineMessages } from './engine-messages.ts';
import { ImageError } from './error.ts';
import { streamContext, type ImageContext } from './image-context.ts';
import type { ResolvedImage } from './resolve-image.ts';

/** What an image adds to its base may be so large and no larger: it is a few bundles, and anything more is a mistake. */
const APPLICATION_LIMIT_BYTES = 5 * 1024 * 1024;

export interface BuiltImage {
  readonly component: Component;
  /** `repository:tag`, as containerd will know it under `docker.io/library/`. */
  readonly tag: string;
  readonly id: string;
  readonly applicationBytes: number;
}

export interface BuildRequest {
  readonly component: Component;
  readonly context: ImageContext;
  readonly base: ResolvedImage;
  readonly tag: string;
  readonly revision: string;
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Builds one image from its context. Nothing is fetched: the base is there already, and the build has no network. */
export async function buildImage(docker: Docker, request: BuildRequest, signal: AbortSignal): Promise<BuiltImage> {
  const { component, tag, base } = request;
  const { messages, failure } = await expecting({ expected: `the Engine to build ${tag}` }, async (wait) => {
    const stream = await startBuild(docker, request, signal);
    return await readEngineMessages(stream as Readable, signal, (message) => {
      const said = lastOutput([message], 1);
      if (said !== '') wait.saw(said);
    });
  });
  if (failure !== undefined) throw new ImageError('IMAGE_BUILD_FAILED', `${COMPONENTS[component].folder}/Dockerfile does not build: ${failure}\n${lastOutput(messages)}`);
  const id = messages.findLast(({ aux }) => aux?.ID !== undefined)?.aux?.ID;
  const built = await docker.getImage(tag).inspect();
  if (id !== undefined && built.Id !== id) throw new ImageError('IMAGE_BUILD_FAILED', `${tag} was built as ${id}, but the Engine now has ${built.Id} under that name`);
  const applicationBytes = built.Size - base.sizeBytes;
  if (applicationBytes > APPLICATION_LIMIT_BYTES) {
    throw new ImageError('IMAGE_LAYER_TOO_LARGE', `${tag} adds ${applicationBytes} bytes to its base, of at most ${APPLICATION_LIMIT_BYTES}: look at what its entry points import`);
  }
  return { component, tag, id: built.Id, applicationBytes };
}

async function startBuild(docker: Docker, { context, tag, base, ...request }: BuildRequest, signal: AbortSignal): Promise<NodeJS.ReadableStream> {
  const archive = streamContext(context);
  const broken = new AbortController();
  // a context that cannot be read ends the build; one that is not wanted any more, since the Engine has gone, ends nothing
  archive.on('error', (error) => broken.abort(error));
  return await docker.buildImage(archive, {
    t: tag,
    version: '2',
    networkmode: 'none',
    rm: true,
    forcerm: true,
    buildargs: { NODE_IMAGE: base.reference, SOURCE_REVISION: request.revision, VERSION: request.version },
    labels: { ...request.labels },
    abortSignal: AbortSignal.any([signal, broken.signal]),
  });
}
