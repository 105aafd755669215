import type { ReviewResource } from '../reviews/review-resource.ts';
import { methodNotAllowed, pathNotFound } from '../status-error.ts';
import type { Answer, EndpointRequest } from './endpoint-request.ts';
import { readObject } from './read-object.ts';

export async function serveReview(request: EndpointRequest, resource: ReviewResource): Promise<Answer> {
  const { attributes, machinery, user } = request;
  if (attributes.subresource !== '' || attributes.name !== '') throw pathNotFound();
  if (attributes.verb !== 'create') throw methodNotAllowed();
  if (resource.namespaced !== (attributes.namespace !== '')) throw pathNotFound();
  const { object, warnings } = await readObject(request, resource);
  const answer = await resource.review(machinery, user, object, resource.namespaced ? attributes.namespace : null);
  request.audit.answeredWith(answer);
  return { code: 201, object: answer, warnings };
}
