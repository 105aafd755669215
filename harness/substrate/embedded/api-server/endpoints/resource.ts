import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { findReviewResource } from '../reviews/review-resources.ts';
import { methodNotAllowed, pathNotFound } from '../status-error.ts';
import { serveCreate } from './create.ts';
import { serveDelete, serveDeleteCollection } from './delete.ts';
import type { Answer, EndpointRequest, ResourceEndpointRequest } from './endpoint-request.ts';
import { servePatch } from './patch.ts';
import { serveGet, serveList } from './read.ts';
import { serveReview } from './review.ts';
import { serveSubresource } from './subresource.ts';
import { serveUpdate } from './update.ts';
import { serveWatch } from './watch.ts';

/** Serves a request for a resource; null when the endpoint has answered by itself. */
export async function serveResource(request: EndpointRequest): Promise<Answer | null> {
  const { attributes, machinery } = request;
  const { group, version, resource } = attributes;
  const review = findReviewResource(group, version, resource);
  if (review !== null) return serveReview(request, review);
  const definition = machinery.catalog.require({ group, version, plural: resource });
  const namespace = namespaceOf(request, definition);
  const scoped: ResourceEndpointRequest = { ...request, definition, namespace };
  if (pathDepth(request) > (attributes.subresource === '' ? 0 : 1)) throw pathNotFound();
  if (attributes.subresource !== '') return serveSubresource(scoped);
  if (!(definition.verbs as readonly string[]).includes(attributes.verb)) throw methodNotAllowed();
  return serveVerb(scoped, namesAnObject(request));
}

async function serveVerb(request: ResourceEndpointRequest, namesObject: boolean): Promise<Answer | null> {
  const { verb } = request.attributes;
  if (namesObject !== NAMES_OBJECT.has(verb) && !(verb === 'watch')) throw methodNotAllowed();
  switch (verb) {
    case 'get':
      return serveGet(request);
    case 'list':
      return serveList(request);
    case 'watch':
      await serveWatch(request);
      return null;
    case 'create':
      return serveCreate(request);
    case 'update':
      return serveUpdate(request);
    case 'patch':
      return servePatch(request);
    case 'delete':
      return serveDelete(request);
    case 'deletecollection':
      return serveDeleteCollection(request);
    default:
      throw methodNotAllowed();
  }
}

const NAMES_OBJECT = new Set(['get', 'update', 'patch', 'delete']);

/** The namespace that the path names; a namespaced object is never without one. */
function namespaceOf(request: EndpointRequest, definition: ResourceDefinition): string | null {
  const { namespace, verb } = request.attributes;
  if (!definition.namespaced) {
    if (namespace !== '' && definition.plural !== 'namespaces') throw pathNotFound();
    return null;
  }
  if (namespace !== '') return namespace;
  if (verb === 'list' || verb === 'watch') return null;
  throw namesAnObject(request) ? pathNotFound() : methodNotAllowed();
}

function segmentsOf({ info, attributes }: EndpointRequest): string[] {
  const segments = info.path.split('/').filter((segment) => segment !== '');
  const prefix = attributes.group === '' ? 2 : 3;
  const namespaced = segments[prefix] === 'namespaces' && attributes.resource !== 'namespaces' ? 2 : 0;
  return segments.slice(prefix + namespaced);
}

function namesAnObject(request: EndpointRequest): boolean {
  return segmentsOf(request).length >= 2;
}

/** How many segments follow the object's name. */
function pathDepth(request: EndpointRequest): number {
  return Math.max(0, segmentsOf(request).length - 2);
}
