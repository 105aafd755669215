import { createObject } from '../operations/create-object.ts';
import type { Answer, ResourceEndpointRequest } from './endpoint-request.ts';
import { readObject } from './read-object.ts';
import { writeOptions } from './write-options.ts';
import { requireNoEscalation } from '../authorization/privilege-escalation.ts';

export async function serveCreate(request: ResourceEndpointRequest): Promise<Answer> {
  const { definition, namespace, machinery, user } = request;
  const options = writeOptions(request, 'CreateOptions');
  const { object, warnings } = await readObject(request, definition);
  requireNoEscalation(machinery, user, definition, object, namespace);
  return { code: 201, object: createObject(machinery, { definition, namespace, user: user.username }, object, options), warnings };
}
