import type { AccessAttributes } from '../authorization/access-attributes.ts';

/** What a URL and method ask for, after Kubernetes' RequestInfoFactory. */
export interface RequestInfo {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly attributes: AccessAttributes;
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', GET: 'get', HEAD: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

export function parseRequestInfo(method: string, target: string): RequestInfo {
  const url = new URL(target, 'https://in.valid');
  const path = url.pathname;
  const query = url.searchParams;
  const attributes = resourceAttributes(method, path, query) ?? { isResourceRequest: false as const, verb: method.toLowerCase(), path };
  return { method, path, query, attributes };
}

function resourceAttributes(method: string, path: string, query: URLSearchParams): AccessAttributes | null {
  const parts = path.split('/').filter((part) => part !== '').map(decodeSegment);
  const prefix = parts.shift();
  let group = '';
  if (prefix === 'apis') {
    if (parts.length < 3) return null;
    group = parts.shift() as string;
  } else if (prefix !== 'api' || parts.length < 2) return null;
  const version = parts.shift() as string;
  let namespace = '';
  if (parts[0] === 'namespaces') {
    if (parts[1] !== undefined) {
      namespace = parts[1];
      if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] as string)) parts.splice(0, 2);
    }
  }
  const [resource = '', name = '', subresource = ''] = parts;
  return { isResourceRequest: true, verb: verbOf(method, name, query), group, version, resource, subresource, namespace, name: name === '' ? nameOfFieldSelector(method, query) : name };
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  const verb = VERBS[method] ?? method.toLowerCase();
  if (name !== '') return verb;
  if (verb === 'delete') return 'deletecollection';
  if (verb !== 'get') return verb;
  return isTrue(query.get('watch')) ? 'watch' : 'list';
}

/** A list or watch of one object by its name is authorised as if it named the object. */
function nameOfFieldSelector(method: string, query: URLSearchParams): string {
  if (VERBS[method] !== 'get' && method !== 'DELETE') return '';
  return /(?:^|,)metadata\.name==?([^,]+)(?:,|$)/.exec(query.get('fieldSelector') ?? '')?.[1] ?? '';
}

/** How Kubernetes reads a boolean of a query: anything but false and 0 is true. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0';
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
