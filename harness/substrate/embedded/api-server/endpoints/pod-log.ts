import { pipeline } from 'node:stream/promises';
import type { V1PodSpec } from '@kubernetes/client-node';
import type { ApiObject } from '../api-object.ts';
import { isTrue } from '../http/request-info.ts';
import type { LogOptions } from '../in-process-api.ts';
import { getObject } from '../operations/get-object.ts';
import { ApiStatusError, badRequest } from '../status-error.ts';
import { objectRequest, type ResourceEndpointRequest } from './endpoint-request.ts';
import { numberOf } from './list-parameters.ts';

/** GET pods/log: what the node agent kept of a container's output. */
export async function servePodLog(request: ResourceEndpointRequest): Promise<void> {
  const pod = getObject(request.machinery, objectRequest(request));
  const options = logOptions(request, pod);
  if (((pod['spec'] as V1PodSpec).nodeName ?? '') === '') {
    // Nothing can have been printed yet.
    request.response.writeHead(204).end();
    request.audit.completed(204);
    return;
  }
  const backend = nodeOf(request, pod, options.container);
  const log = await backend.openLog(pod, options);
  request.response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-cache, private' });
  request.response.flushHeaders();
  request.signal.addEventListener('abort', () => log.destroy(), { once: true });
  try {
    await pipeline(log, request.response);
    request.audit.completed(200);
  } catch {
    // The client has gone, or the log ended in the middle: the header is out, there is nobody to tell.
    request.response.destroy();
    request.audit.closedEarly(200);
  }
}

function logOptions({ info }: ResourceEndpointRequest, pod: ApiObject): LogOptions {
  const { query } = info;
  const tailLines = numberOf(query.get('tailLines'), 'tailLines');
  const sinceSeconds = numberOf(query.get('sinceSeconds'), 'sinceSeconds');
  const limitBytes = numberOf(query.get('limitBytes'), 'limitBytes');
  return {
    container: containerOf(pod, query.get('container') ?? ''),
    follow: isTrue(query.get('follow')),
    previous: isTrue(query.get('previous')),
    timestamps: isTrue(query.get('timestamps')),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
  };
}

/** The container that was asked for; it may be left out when there is one alone. */
export function containerOf(pod: ApiObject, asked: string): string {
  const spec = pod['spec'] as V1PodSpec;
  const regular = spec.containers.map((container) => container.name);
  const init = (spec.initContainers ?? []).map((container) => container.name);
  const name = pod.metadata.name as string;
  if (asked === '') {
    if (regular.length === 1) return regular[0] as string;
    const choices = `[${regular.join(' ')}]${init.length === 0 ? '' : ` or one of the init containers: [${init.join(' ')}]`}`;
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: ${choices}`);
  }
  if (!regular.includes(asked) && !init.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
  return asked;
}

export function nodeOf({ machinery }: ResourceEndpointRequest, pod: ApiObject, container: string): NonNullable<ReturnType<typeof machinery.nodeBackend>> {
  const backend = machinery.nodeBackend();
  const { nodeName } = pod['spec'] as V1PodSpec;
  if ((nodeName ?? '') === '') throw badRequest(`container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)} is waiting to start: the pod is not assigned to a node yet`);
  if (backend === null) throw new ApiStatusError(503, 'ServiceUnavailable', 'the server is currently unable to handle the request: no node agent is connected');
  return backend;
}
