import type Docker from 'dockerode';
import { RUN_LABEL, type Labels } from './run-labels.ts';

/** Something that a run has made in Docker. */
export interface RunObject {
  readonly kind: 'container' | 'network' | 'volume' | 'image';
  readonly id: string;
  readonly name: string;
  readonly labels: Labels;
}

const ORDER: readonly RunObject['kind'][] = ['container', 'network', 'volume', 'image'];

/** Everything with the label of the run, or of any run, in the order in which it can be removed, and by name: an Engine lists what was made in one second as it likes. */
export async function listRunObjects(docker: Docker, runId?: string): Promise<readonly RunObject[]> {
  const filters = { label: [runId === undefined ? RUN_LABEL : `${RUN_LABEL}=${runId}`] };
  const [containers, networks, { Volumes: volumes }, images] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters: filters as unknown as string }),
    docker.listImages({ filters: JSON.stringify(filters) }),
  ]);
  const objects: RunObject[] = [
    ...containers.map(({ Id, Names, Labels }) => ({ kind: 'container' as const, id: Id, name: Names[0]?.slice(1) ?? Id, labels: Labels })),
    ...networks.map(({ Id, Name, Labels }) => ({ kind: 'network' as const, id: Id, name: Name, labels: Labels ?? {} })),
    ...(volumes ?? []).map(({ Name, Labels }) => ({ kind: 'volume' as const, id: Name, name: Name, labels: Labels ?? {} })),
    ...images.map(({ Id, RepoTags, Labels }) => ({ kind: 'image' as const, id: Id, name: RepoTags?.[0] ?? Id, labels: Labels ?? {} })),
  ];
  return objects.sort((left, right) => ORDER.indexOf(left.kind) - ORDER.indexOf(right.kind) || left.name.localeCompare(right.name));
}

/** Removes what is there, containers with their volumes first; what is gone already is no failure. Each failure is kept. */
export async function removeRunObjects(docker: Docker, objects: readonly RunObject[]): Promise<readonly Error[]> {
  const failures: Error[] = [];
  for (const kind of ORDER) {
    await Promise.all(
      objects
        .filter((object) => object.kind === kind)
        .map((object) =>
          remove(docker, object).catch((error: Error & { statusCode?: number }) => {
            if (error.statusCode !== 404) failures.push(new Error(`${object.kind} ${object.name}: ${error.message}`, { cause: error }));
          }),
        ),
    );
  }
  return failures;
}

async function remove(docker: Docker, { kind, id }: RunObject): Promise<unknown> {
  if (kind === 'container') return await docker.getContainer(id).remove({ force: true, v: true });
  if (kind === 'network') return await docker.getNetwork(id).remove();
  if (kind === 'volume') return await docker.getVolume(id).remove({ force: true });
  return await docker.getImage(id).remove({ force: true });
}

/** Removes everything of one run and looks afterwards whether anything is left. */
export async function removeRun(docker: Docker, runId: string): Promise<void> {
  const failures = await removeRunObjects(docker, await listRunObjects(docker, runId));
  const left = await listRunObjects(docker, runId);
  if (left.length > 0 || failures.length > 0) {
    throw new AggregateError(failures, `expected nothing of run ${runId} to be left in Docker, found ${left.map(({ kind, name }) => `${kind} ${name}`).join(', ') || 'nothing, after failures'}${failures.map(({ message }) => `; ${message}`).join('')}`);
  }
}
