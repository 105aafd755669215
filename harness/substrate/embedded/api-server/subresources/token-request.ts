import type { V1TokenRequestSpec } from '@kubernetes/client-node';
import type { ApiMachinery } from '../api-machinery.ts';
import type { ApiObject } from '../api-object.ts';
import { API_AUDIENCES, type BoundObject, type TokenSubject } from '../authentication/service-account-tokens.ts';
import { getObject } from '../operations/get-object.ts';
import type { ObjectRequest } from '../operations/resource-request.ts';
import { timestamp } from '../operations/system-metadata.ts';
import { badRequest, conflict, notFound } from '../status-error.ts';
import { invalid, invalidObject, type FieldError } from '../validation/field-error.ts';

const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

export interface TokenAnswer {
  readonly object: ApiObject;
  /** The token's name in audit events. */
  readonly credentialId: string;
}

/** authentication.k8s.io/v1 TokenRequest: a bound token of limited life for one service account. */
export async function requestToken(machinery: ApiMachinery, request: ObjectRequest, tokenRequest: ApiObject): Promise<TokenAnswer> {
  const account = getObject(machinery, request);
  const spec: Partial<V1TokenRequestSpec> = withDefaults(tokenRequest);
  const seconds = spec.expirationSeconds ?? DEFAULT_SECONDS;
  const errors = validateLifetime(seconds);
  if (errors.length > 0) throw invalidObject('TokenRequest', { group: 'authentication.k8s.io', plural: 'tokenrequests' }, '', errors);
  const { name = request.name, namespace = request.namespace } = tokenRequest.metadata;
  if (name !== request.name) throw badRequest(`metadata.name: Invalid value: ${JSON.stringify(name)}: must match the service account name if specified`);
  if (namespace !== request.namespace) throw badRequest(`metadata.namespace: Invalid value: ${JSON.stringify(namespace)}: must match the service account namespace if specified`);
  const audiences = (spec.audiences ?? []).length > 0 ? (spec.audiences as string[]) : API_AUDIENCES;
  const subject: TokenSubject = {
    namespace: request.namespace as string,
    serviceAccount: { name: request.name, uid: account.metadata.uid as string },
    ...(spec.boundObjectRef === undefined ? {} : boundTo(machinery, request, spec.boundObjectRef)),
  };
  const { token, tokenId, expiresAt } = await machinery.tokens.issue(subject, audiences, seconds);
  const object: ApiObject = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: request.name, namespace: request.namespace as string, creationTimestamp: timestamp() },
    spec: { ...spec, audiences, expirationSeconds: seconds },
    status: { token, expirationTimestamp: timestamp(expiresAt) },
  };
  return { object, credentialId: `JTI=${tokenId}` };
}

/** Put into the request itself: the audit log shows it as it was understood. */
function withDefaults(tokenRequest: ApiObject): Partial<V1TokenRequestSpec> {
  const spec = { expirationSeconds: DEFAULT_SECONDS, ...(tokenRequest['spec'] as Partial<V1TokenRequestSpec> | undefined) };
  Object.assign(tokenRequest, { spec });
  return spec;
}

function validateLifetime(seconds: number): FieldError[] {
  if (seconds < MIN_SECONDS) return [invalid('spec.expirationSeconds', seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > MAX_SECONDS ? [invalid('spec.expirationSeconds', seconds, 'may not specify a duration larger than 2^32 seconds')] : [];
}

function boundTo(machinery: ApiMachinery, request: ObjectRequest, reference: NonNullable<V1TokenRequestSpec['boundObjectRef']>): Partial<TokenSubject> {
  const { apiVersion, kind, name = '', uid } = reference;
  const namespace = request.namespace as string;
  if (apiVersion !== 'v1' || (kind !== 'Pod' && kind !== 'Secret' && kind !== 'Node')) {
    throw badRequest(`cannot bind token for serviceaccount ${JSON.stringify(request.name)} to object of type ${JSON.stringify(`${apiVersion}, Kind=${kind}`)}`);
  }
  const plural = `${kind.toLowerCase()}s`;
  const object = machinery.store.get(`/${plural}`, kind === 'Node' ? null : namespace, name);
  if (object === null) throw notFound({ group: '', plural }, name);
  const found: BoundObject = { name, uid: object.metadata.uid as string };
  if (uid !== undefined && uid !== '' && uid !== found.uid) {
    throw conflict({ group: '', plural }, name, `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`);
  }
  if (kind === 'Secret') return { secret: found };
  if (kind === 'Node') return { node: found };
  return { pod: found, ...podsNode(machinery, object, request.name) };
}

/** A token for a Pod also names the node that the Pod runs on, and is for the Pod's own account alone. */
function podsNode(machinery: ApiMachinery, pod: ApiObject, serviceAccount: string): Partial<TokenSubject> {
  const spec = pod['spec'] as { serviceAccountName?: string; nodeName?: string };
  if (spec.serviceAccountName !== serviceAccount) {
    throw badRequest(`cannot bind token for serviceaccount ${JSON.stringify(serviceAccount)} to pod running with different serviceaccount name.`);
  }
  const node = machinery.store.get('/nodes', null, spec.nodeName ?? '');
  return node === null ? {} : { node: { name: spec.nodeName as string, uid: node.metadata.uid as string } };
}
