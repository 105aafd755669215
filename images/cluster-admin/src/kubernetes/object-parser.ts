import type { Deployment, Secret } from './api-objects.ts';

/** Says where an API answer is not what Kubernetes promises; never what stood there. */
export class ObjectShapeError extends Error {
  constructor(path: string, expected: string) {
    super(`${path} is not ${expected}`);
    this.name = 'ObjectShapeError';
  }
}

type Fields = Readonly<Record<string, unknown>>;

export function parseSecret(value: unknown): Secret {
  const secret = object(value, 'Secret');
  checkMeta(secret['metadata']);
  optional(secret['type'], 'string', 'type');
  optional(secret['immutable'], 'boolean', 'immutable');
  stringMap(secret['data'], 'data');
  return secret as unknown as Secret;
}

export function parseDeployment(value: unknown): Deployment {
  const deployment = object(value, 'Deployment');
  checkMeta(deployment['metadata']);
  const spec = object(deployment['spec'], 'spec');
  optional(spec['replicas'], 'number', 'spec.replicas');
  if (spec['strategy'] !== undefined) object(spec['strategy'], 'spec.strategy');
  const template = object(spec['template'], 'spec.template');
  if (template['metadata'] !== undefined) {
    const meta = object(template['metadata'], 'spec.template.metadata');
    stringMap(meta['labels'], 'spec.template.metadata.labels');
    stringMap(meta['annotations'], 'spec.template.metadata.annotations');
  }
  if (template['spec'] !== undefined) checkVolumes(object(template['spec'], 'spec.template.spec')['volumes']);
  return deployment as unknown as Deployment;
}

export interface ListPage {
  readonly items: readonly unknown[];
  readonly continueToken: string | null;
}

export function parseListPage(value: unknown): ListPage {
  const list = object(value, 'List');
  const meta = object(list['metadata'], 'metadata');
  optional(meta['continue'], 'string', 'metadata.continue');
  // A Go slice without entries is written as null.
  const items = list['items'] ?? [];
  if (!Array.isArray(items)) throw new ObjectShapeError('items', 'a list');
  return { items, continueToken: (meta['continue'] as string | undefined) || null };
}

function checkMeta(value: unknown): void {
  const meta = object(value, 'metadata');
  for (const field of ['name', 'namespace', 'uid', 'resourceVersion']) {
    if (typeof meta[field] !== 'string' || meta[field] === '') throw new ObjectShapeError(`metadata.${field}`, 'a non-empty string');
  }
  stringMap(meta['labels'], 'metadata.labels');
  stringMap(meta['annotations'], 'metadata.annotations');
  optional(meta['deletionTimestamp'], 'string', 'metadata.deletionTimestamp');
  for (const field of ['finalizers', 'ownerReferences']) {
    if (meta[field] !== undefined && !Array.isArray(meta[field])) throw new ObjectShapeError(`metadata.${field}`, 'a list');
  }
}

function checkVolumes(volumes: unknown): void {
  for (const [index, volume] of list(volumes, 'spec.template.spec.volumes').entries()) {
    const path = `spec.template.spec.volumes[${index}]`;
    const projected = object(volume, path)['projected'];
    if (projected === undefined) continue;
    for (const source of list(object(projected, `${path}.projected`)['sources'], `${path}.projected.sources`)) {
      const secret = object(source, `${path}.projected.sources`)['secret'];
      if (secret === undefined) continue;
      for (const item of list(object(secret, `${path} secret`)['items'], `${path} secret.items`)) object(item, `${path} item`);
    }
  }
}

function object(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ObjectShapeError(path, 'an object');
  return value as Fields;
}

function list(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new ObjectShapeError(path, 'a list');
  return value;
}

function optional(value: unknown, type: 'string' | 'boolean' | 'number', path: string): void {
  if (value !== undefined && typeof value !== type) throw new ObjectShapeError(path, `a ${type}`);
}

function stringMap(value: unknown, path: string): void {
  if (value === undefined) return;
  for (const entry of Object.values(object(value, path))) {
    if (typeof entry !== 'string') throw new ObjectShapeError(path, 'a map of strings');
  }
}
