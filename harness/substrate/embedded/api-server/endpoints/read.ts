import { negotiate } from '../http/media-negotiation.ts';
import { getObject } from '../operations/get-object.ts';
import { listObjects } from '../operations/list-objects.ts';
import { toPartialMetadata, toTable } from '../printing/table.ts';
import { apiVersionOf } from '../resources/resource-definition.ts';
import { includedObjectOf } from './included-object.ts';
import { objectRequest, type Answer, type ResourceEndpointRequest } from './endpoint-request.ts';
import { listParameters } from './list-parameters.ts';

export function serveGet(request: ResourceEndpointRequest): Answer {
  const object = getObject(request.machinery, objectRequest(request));
  switch (negotiate(request.message.headers.accept, ['json', 'yaml', 'table', 'partial'])) {
    case 'table':
      return { code: 200, object: toTable([object], request.definition, { includeObject: includedObjectOf(request) }) };
    case 'partial':
      return { code: 200, object: toPartialMetadata(object) };
    default:
      return { code: 200, object };
  }
}

export function serveList(request: ResourceEndpointRequest): Answer {
  const { definition, namespace, machinery, user } = request;
  const representation = negotiate(request.message.headers.accept, ['json', 'yaml', 'table', 'partial-list']);
  const list = listObjects(machinery, { definition, namespace, user: user.username }, listParameters(request));
  const metadata = {
    resourceVersion: list.resourceVersion,
    ...(list.continue === undefined ? {} : { continue: list.continue }),
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
  };
  switch (representation) {
    case 'table':
      return { code: 200, object: toTable(list.items, definition, { includeObject: includedObjectOf(request), listMetadata: metadata }) };
    case 'partial-list':
      return { code: 200, object: { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: list.items.map(toPartialMetadata) } };
    default:
      return { code: 200, object: { kind: `${definition.kind}List`, apiVersion: apiVersionOf(definition), metadata, items: list.items.map(({ apiVersion: _a, kind: _k, ...item }) => item) } };
  }
}
