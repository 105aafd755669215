import type { ConfigMap, Container, Pod, Secret } from '../../controllers/runtime/objects.ts';
import { podField, type PodPlace, resourceField } from '../environment/downward-api.ts';
import type { ProjectedFile } from './atomic-folder.ts';

type Volume = NonNullable<Pod['spec']['volumes']>[number];
type Projection = NonNullable<NonNullable<Volume['projected']>['sources']>[number];
type Items = NonNullable<NonNullable<Volume['secret']>['items']>;
type DownwardItems = NonNullable<NonNullable<Volume['downwardAPI']>['items']>;
export type TokenProjection = NonNullable<Projection['serviceAccountToken']>;

/** One source of a volume that is made of files, the same for `secret:` and for an entry of `projected:`. */
export type FileSource =
  | { readonly kind: 'secret' | 'configMap'; readonly name: string; readonly items: Items | undefined; readonly optional: boolean }
  | { readonly kind: 'downwardAPI'; readonly items: DownwardItems }
  | { readonly kind: 'token'; readonly token: TokenProjection };

export interface FileVolume {
  readonly name: string;
  readonly defaultMode: number;
  readonly sources: readonly FileSource[];
}

const DEFAULT_MODE = 0o644;

/** Null for a volume that is not made of files. */
export function fileVolume(volume: Volume): FileVolume | null {
  const { name, secret, configMap, downwardAPI, projected } = volume;
  if (secret !== undefined) {
    const source = { kind: 'secret', name: secret.secretName ?? '', items: secret.items, optional: secret.optional ?? false } as const;
    return { name, defaultMode: secret.defaultMode ?? DEFAULT_MODE, sources: [source] };
  }
  if (configMap !== undefined) {
    const source = { kind: 'configMap', name: configMap.name ?? '', items: configMap.items, optional: configMap.optional ?? false } as const;
    return { name, defaultMode: configMap.defaultMode ?? DEFAULT_MODE, sources: [source] };
  }
  if (downwardAPI !== undefined) {
    return { name, defaultMode: downwardAPI.defaultMode ?? DEFAULT_MODE, sources: [{ kind: 'downwardAPI', items: downwardAPI.items ?? [] }] };
  }
  if (projected === undefined) return null;
  return { name, defaultMode: projected.defaultMode ?? DEFAULT_MODE, sources: (projected.sources ?? []).map(toSource) };
}

function toSource(projection: Projection): FileSource {
  const { secret, configMap, downwardAPI, serviceAccountToken } = projection;
  if (secret !== undefined) return { kind: 'secret', name: secret.name ?? '', items: secret.items, optional: secret.optional ?? false };
  if (configMap !== undefined) return { kind: 'configMap', name: configMap.name ?? '', items: configMap.items, optional: configMap.optional ?? false };
  if (serviceAccountToken !== undefined) return { kind: 'token', token: serviceAccountToken };
  return { kind: 'downwardAPI', items: downwardAPI?.items ?? [] };
}

/** Files of a Secret or ConfigMap; without items every key is one. Throws what the kubelet would say. */
export function objectFiles(
  source: Extract<FileSource, { kind: 'secret' | 'configMap' }>,
  object: Secret | ConfigMap | undefined,
  defaultMode: number,
): [string, ProjectedFile][] {
  if (object === undefined) {
    if (source.optional) return [];
    throw new Error(`${source.kind.toLowerCase()} "${source.name}" not found`);
  }
  const contents = contentsOf(source.kind, object);
  if (source.items === undefined) return [...contents].map(([key, content]) => [key, { content, mode: defaultMode }]);
  return source.items.flatMap(({ key, path, mode }) => {
    const content = contents.get(key);
    if (content !== undefined) return [[path, { content, mode: mode ?? defaultMode }] as [string, ProjectedFile]];
    if (source.optional) return [];
    throw new Error(`references non-existent ${source.kind === 'secret' ? 'secret' : 'config'} key: ${key}`);
  });
}

function contentsOf(kind: 'secret' | 'configMap', object: Secret | ConfigMap): Map<string, Buffer> {
  const binary = kind === 'secret' ? object.data : (object as ConfigMap).binaryData;
  const text = kind === 'secret' ? undefined : object.data;
  const decoded = Object.entries(binary ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64')] as const);
  return new Map([...decoded, ...Object.entries(text ?? {}).map(([key, value]) => [key, Buffer.from(value)] as const)]);
}

export function downwardFiles(items: DownwardItems, pod: Pod, place: PodPlace, defaultMode: number): [string, ProjectedFile][] {
  return items.map(({ path, fieldRef, resourceFieldRef, mode }) => {
    const text = fieldRef !== undefined ? podField(pod, fieldRef.fieldPath, place) : resourceText(pod, resourceFieldRef);
    return [path, { content: Buffer.from(text), mode: mode ?? defaultMode }];
  });
}

function resourceText(pod: Pod, reference: DownwardItems[number]['resourceFieldRef']): string {
  const containers: Container[] = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  const container = containers.find((candidate) => candidate.name === reference?.containerName);
  if (container === undefined || reference === undefined) throw new Error(`container ${reference?.containerName ?? ''} not found`);
  return resourceField(container, reference.resource, reference.divisor);
}
