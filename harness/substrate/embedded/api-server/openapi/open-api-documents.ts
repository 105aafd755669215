import { createHash } from 'node:crypto';
import type { ServedResource } from '../discovery/served-resource.ts';

type Document = Record<string, unknown>;

/** GET /openapi/v3: where the document of each group version is. */
export function openApiIndex(resources: readonly ServedResource[]): Document {
  const paths = [...new Set(resources.map(pathOf))];
  return { paths: Object.fromEntries(paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(path)}` }])) };
}

/** One group version as far as clients need it: which resources take which write options, and of what kind they are. */
export function openApiDocument(resources: readonly ServedResource[], path: string): Document | null {
  const served = resources.filter((resource) => pathOf(resource) === path);
  if (served.length === 0) return null;
  return {
    openapi: '3.0.0',
    info: { title: 'Embedded Kubernetes stand-in', version: 'unversioned' },
    paths: Object.fromEntries(served.map((resource) => [`/${path}/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.plural}/{name}`, pathItem(resource)])),
    components: { schemas: {} },
  };
}

const WRITE_OPTIONS = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } }));

function pathItem(resource: ServedResource): Document {
  const { group, version, kind } = resource;
  const operation = (action: string): Document => ({ 'x-kubernetes-action': action, 'x-kubernetes-group-version-kind': { group, version, kind }, parameters: WRITE_OPTIONS, responses: { 200: { description: 'OK' } } });
  return { put: operation('put'), patch: operation('patch'), delete: operation('delete') };
}

function pathOf({ group, version }: ServedResource): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16).toUpperCase();
}
