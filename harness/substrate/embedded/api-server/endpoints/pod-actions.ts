import { deleteObject } from '../operations/delete-object.ts';
import { bindPod } from '../subresources/pod-binding.ts';
import { requestToken } from '../subresources/token-request.ts';
import { objectRequest, type Answer, type ResourceEndpointRequest } from './endpoint-request.ts';
import { readObject } from './read-object.ts';

const CREATED = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

export async function serveBinding(request: ResourceEndpointRequest): Promise<Answer> {
  const { object } = await readObject(request, { group: '', version: 'v1', kind: 'Binding', model: 'V1Binding' });
  bindPod(request.machinery, objectRequest(request), object);
  return { code: 201, object: CREATED };
}

/** There are no disruption budgets here: an eviction is a deletion. */
export async function serveEviction(request: ResourceEndpointRequest): Promise<Answer> {
  const { object } = await readObject(request, { group: 'policy', version: 'v1', kind: 'Eviction', model: 'V1Eviction' });
  deleteObject(request.machinery, objectRequest(request), object['deleteOptions'] ?? {});
  return { code: 201, object: CREATED };
}

export async function serveTokenRequest(request: ResourceEndpointRequest): Promise<Answer> {
  const { object: tokenRequest, warnings } = await readObject(request, { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', model: 'AuthenticationV1TokenRequest' });
  const { object, credentialId } = await requestToken(request.machinery, objectRequest(request), tokenRequest);
  request.audit.annotate('authentication.kubernetes.io/issued-credential-id', credentialId);
  return { code: 201, object, warnings };
}
