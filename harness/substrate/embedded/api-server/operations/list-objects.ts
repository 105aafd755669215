import type { ApiMachinery } from '../api-machinery.ts';
import type { ApiObject } from '../api-object.ts';
import { storageName } from '../resources/resource-definition.ts';
import { parseFieldSelector } from '../selectors/field-selector.ts';
import { parseLabelSelector } from '../selectors/label-selector.ts';
import { badRequest, expired, tooLargeResourceVersion } from '../status-error.ts';
import { forbiddenField, invalidObject } from '../validation/field-error.ts';
import { compareKeys, storageKey } from '../storage/object-store.ts';
import type { CollectionRequest } from './resource-request.ts';

export interface ListParameters {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
}

export interface ObjectList {
  readonly items: ApiObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

interface ContinueToken {
  readonly v: 'meta.k8s.io/v1';
  readonly rv: number;
  readonly start: string;
}

const EXPIRED_CONTINUE = 'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.';

export function listObjects(machinery: ApiMachinery, { definition, namespace }: CollectionRequest, parameters: ListParameters = {}): ObjectList {
  const token = parameters.continue === undefined || parameters.continue === '' ? null : parseContinueToken(parameters.continue);
  const revision = token?.rv ?? revisionFor(machinery, parameters);
  const all = machinery.store.listAt(storageName(definition), namespace, revision);
  if (all === null) throw expired(token === null ? `too old resource version: ${revision} (${machinery.store.oldestRevision})` : EXPIRED_CONTINUE);
  const matchesLabels = parseLabelSelector(parameters.labelSelector);
  const matchesFields = parseFieldSelector(parameters.fieldSelector, definition.strategy.selectableFields);
  const rest = token === null ? all : all.filter((object) => compareKeys(keyOf(object), token.start) > 0);
  const matching = rest.filter((object) => matchesLabels(object.metadata.labels) && matchesFields(object));
  const resourceVersion = String(revision);
  const limit = parameters.limit ?? 0;
  if (limit <= 0 || matching.length <= limit) return { items: matching, resourceVersion };
  const items = matching.slice(0, limit);
  const selective = (parameters.labelSelector ?? '') !== '' || (parameters.fieldSelector ?? '') !== '';
  return {
    items,
    resourceVersion,
    continue: formatContinueToken({ v: 'meta.k8s.io/v1', rv: revision, start: keyOf(items.at(-1) as ApiObject) }),
    ...(selective ? {} : { remainingItemCount: matching.length - limit }),
  };
}

/** Only an exact match asks for the past; any other list is of now. */
function revisionFor(machinery: ApiMachinery, { resourceVersion, resourceVersionMatch }: ListParameters): number {
  const now = machinery.store.revision;
  if (resourceVersion === undefined || resourceVersion === '') {
    if ((resourceVersionMatch ?? '') !== '') throw invalidObject('ListOptions', { group: 'meta.k8s.io', plural: '' }, '', [forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided')]);
    return now;
  }
  const asked = parseResourceVersion(resourceVersion);
  if (asked > now) throw tooLargeResourceVersion(asked, now);
  return resourceVersionMatch === 'Exact' && asked > 0 ? asked : now;
}

export function parseResourceVersion(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`Invalid value: ${JSON.stringify(text)}: a resource version is a decimal number`);
  return Number(text);
}

function keyOf(object: ApiObject): string {
  return storageKey(object.metadata.namespace ?? null, object.metadata.name ?? '');
}

function formatContinueToken(token: ContinueToken): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function parseContinueToken(text: string): ContinueToken {
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<ContinueToken> | null;
    if (token?.v === 'meta.k8s.io/v1' && Number.isSafeInteger(token.rv) && typeof token.start === 'string') return token as ContinueToken;
  } catch {
    // Said below, together with a token of another shape.
  }
  throw badRequest('continue key is not valid: it is not a token that this server gave');
}
