import { getObject } from '../operations/get-object.ts';
import { methodNotAllowed, pathNotFound } from '../status-error.ts';
import { scaleOf } from '../subresources/scale.ts';
import { objectRequest, type Answer, type ResourceEndpointRequest } from './endpoint-request.ts';
import { servePatch } from './patch.ts';
import { serveBinding, serveEviction, serveTokenRequest } from './pod-actions.ts';
import { servePodExec } from './pod-exec.ts';
import { servePodLog } from './pod-log.ts';
import { serveGet } from './read.ts';
import { serveScaleUpdate, serveUpdate } from './update.ts';

/** Serves a subresource; null when the endpoint has answered by itself. */
export async function serveSubresource(request: ResourceEndpointRequest): Promise<Answer | null> {
  const { definition, attributes } = request;
  const { subresource, verb } = attributes;
  const known = definition.subresources.find(({ name }) => name === subresource);
  if (known === undefined) throw pathNotFound();
  if (!known.verbs.includes(verb)) throw methodNotAllowed();
  switch (`${subresource} ${verb}`) {
    case 'status get':
      return serveGet(request);
    case 'status update':
      return serveUpdate(request, 'status');
    case 'status patch':
      return servePatch(request, 'status');
    case 'scale get':
      return { code: 200, object: scaleOf(getObject(request.machinery, objectRequest(request))) };
    case 'scale update':
      return serveScaleUpdate(request);
    case 'scale patch':
      return servePatch(request, 'scale');
    case 'finalize update':
      return serveUpdate(request, 'finalize');
    case 'binding create':
      return serveBinding(request);
    case 'eviction create':
      return serveEviction(request);
    case 'token create':
      return serveTokenRequest(request);
    case 'log get':
      await servePodLog(request);
      return null;
    case 'exec get':
    case 'exec create':
      await servePodExec(request);
      return null;
    default:
      throw methodNotAllowed();
  }
}
