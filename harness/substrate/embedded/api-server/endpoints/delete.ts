import type { ApiObject } from '../api-object.ts';
import { decodeObject } from '../decoding/decode-object.ts';
import { mediaTypeOf, parseBody, readBody } from '../http/request-body.ts';
import { isTrue } from '../http/request-info.ts';
import { deleteObject, type DeleteParameters, type PropagationPolicy } from '../operations/delete-object.ts';
import { listObjects } from '../operations/list-objects.ts';
import { apiVersionOf } from '../resources/resource-definition.ts';
import { ApiStatusError } from '../status-error.ts';
import { invalid, invalidObject, notSupported, type FieldError } from '../validation/field-error.ts';
import { objectRequest, type Answer, type EndpointRequest, type ResourceEndpointRequest } from './endpoint-request.ts';
import { listParameters, numberOf } from './list-parameters.ts';

const POLICIES: readonly string[] = ['Background', 'Foreground', 'Orphan'];

export async function serveDelete(request: ResourceEndpointRequest): Promise<Answer> {
  const parameters = await deleteParameters(request);
  const { object, gone } = deleteObject(request.machinery, objectRequest(request), parameters);
  const warnings = orphansByHabit(request, parameters) ? [JOB_WARNING] : [];
  if (!gone || request.definition.strategy.returnsDeletedObject === true) return { code: 200, object, warnings };
  return { code: 200, object: success(request, object), warnings };
}

const JOB_WARNING =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

function orphansByHabit({ definition }: ResourceEndpointRequest, { propagationPolicy }: DeleteParameters): boolean {
  return propagationPolicy === undefined && definition.strategy.defaultPropagation === 'Orphan';
}

function success({ definition, attributes }: ResourceEndpointRequest, object: ApiObject): ApiObject {
  const details = { name: attributes.name, ...(definition.group === '' ? {} : { group: definition.group }), kind: definition.plural, uid: object.metadata.uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

export async function serveDeleteCollection(request: ResourceEndpointRequest): Promise<Answer> {
  const { definition, namespace, machinery, user } = request;
  const parameters = await deleteParameters(request);
  const { items, resourceVersion } = listObjects(machinery, { definition, namespace, user: user.username }, listParameters(request));
  for (const item of items) {
    try {
      deleteObject(machinery, { definition, namespace: item.metadata.namespace ?? null, name: item.metadata.name as string, user: user.username }, parameters);
    } catch (error) {
      if (!(error instanceof ApiStatusError && error.reason === 'NotFound')) throw error;
    }
  }
  return { code: 200, object: { kind: `${definition.kind}List`, apiVersion: apiVersionOf(definition), metadata: { resourceVersion }, items: items.map(({ apiVersion: _a, kind: _k, ...item }) => item) } };
}

/** DeleteOptions come in the body or, as far as they are simple, in the query. */
async function deleteParameters(request: EndpointRequest): Promise<DeleteParameters> {
  const body = await readBody(request.message);
  const given = body.length === 0 ? fromQuery(request) : fromBody(body, mediaTypeOf(request.message));
  const dryRun = given.dryRun.filter((value) => value !== '');
  const errors: FieldError[] = [
    ...(dryRun.some((value) => value !== 'All') ? [notSupported('dryRun', dryRun, ['All'])] : []),
    ...(given.propagationPolicy !== undefined && !POLICIES.includes(given.propagationPolicy) ? [notSupported('propagationPolicy', given.propagationPolicy, [...POLICIES, 'nil'])] : []),
    ...(given.gracePeriodSeconds !== undefined && given.gracePeriodSeconds < 0 ? [invalid('gracePeriodSeconds', given.gracePeriodSeconds, 'must be greater than or equal to 0')] : []),
  ];
  if (errors.length > 0) throw invalidObject('DeleteOptions', { group: 'meta.k8s.io', plural: '' }, '', errors);
  return { ...given, dryRun: dryRun.length > 0 };
}

type GivenOptions = Omit<DeleteParameters, 'dryRun'> & { readonly dryRun: readonly string[] };

function fromQuery({ info }: EndpointRequest): GivenOptions {
  const { query } = info;
  const grace = numberOf(query.get('gracePeriodSeconds'), 'gracePeriodSeconds');
  const policy = query.get('propagationPolicy') || (isTrue(query.get('orphanDependents')) ? 'Orphan' : undefined);
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === undefined ? {} : { propagationPolicy: policy as PropagationPolicy }),
    dryRun: query.getAll('dryRun'),
  };
}

interface DeleteOptionsBody {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: PropagationPolicy;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

function fromBody(body: Buffer, mediaType: string): GivenOptions {
  const { value } = parseBody(body, mediaType, 'DeleteOptions');
  const options = { ...(value as { apiVersion?: string }), apiVersion: 'v1' };
  const { object } = decodeObject(options, { group: '', version: 'v1', kind: 'DeleteOptions', model: 'V1DeleteOptions' });
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions, dryRun } = object as unknown as DeleteOptionsBody;
  const policy = propagationPolicy ?? (orphanDependents === true ? 'Orphan' : undefined);
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    ...(preconditions === undefined ? {} : { preconditions }),
    dryRun: dryRun ?? [],
  };
}
