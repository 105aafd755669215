import { dig as at, numberAt, textAt } from '../../../evidence/facts/fields.ts';
import { DELIVERY, HOST_ISSUER, JOB_ISSUER, RECOVERY_ISSUER } from '../../../evidence/identities.ts';

const FORBIDDEN = 403;
const REVIEW_ANSWERED = 201;
const DECISION = 'authorization.k8s.io/decision';
const REASON = 'authorization.k8s.io/reason';
const ACCOUNTS = new Set([DELIVERY, HOST_ISSUER, JOB_ISSUER, RECOVERY_ISSUER]);
const READING_VERBS = new Set<string | null>(['get', 'list', 'watch']);
const REVIEWED = ['verb', 'group', 'version', 'resource', 'subresource', 'namespace', 'name'];

/**
 * What an event says against itself, in words. An API server writes down each request once, and many of its fields follow from others:
 * whoever changes one of those that the observations have must find all that no observation has.
 */
export function contradictionsOf(raw: unknown, kubeletVersions: ReadonlyMap<string, string>): readonly string[] {
  return [
    ...(groupsFit(raw) ? [] : ['it names groups that its user cannot have']),
    ...(decisionFits(raw) ? [] : ['what was decided does not go with the answer']),
    ...(reasonFits(raw) ? [] : ['it was allowed by a ClusterRole to an account that has Roles alone']),
    ...(pathFits(raw) ? [] : ['its path is of another object']),
    ...(reviewFits(raw) ? [] : ['its review was answered for another question, or with an error']),
    ...(agentFits(raw, kubeletVersions) ? [] : ['its kubelet is of another version than the node']),
  ];
}

/** An account of the cluster has three groups, and who is impersonated by name alone has one. */
function groupsFit(raw: unknown): boolean {
  const [user, impersonated] = [at(raw, 'user', 'groups'), at(raw, 'impersonatedUser', 'groups')];
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(textAt(raw, 'user', 'username') ?? '') ?? [];
  const known = (groups: unknown, allowed: readonly string[]): boolean => Array.isArray(groups) && groups.every((group) => allowed.includes(group as string));
  return (
    (namespace === undefined || known(user, ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'])) &&
    (at(raw, 'impersonatedUser') === undefined || known(impersonated, ['system:authenticated']))
  );
}

/** What the authorizer forbids is answered with 403. Of a read of an object nobody else says that; the rest may be refused by who admits requests. */
function decisionFits(raw: unknown): boolean {
  const isForbidden = numberAt(raw, 'responseStatus', 'code') === FORBIDDEN;
  const decision = textAt(raw, 'annotations', DECISION);
  return decision === 'forbid' ? isForbidden : decision !== 'allow' || !isForbidden || !READING_VERBS.has(textAt(raw, 'verb')) || textAt(raw, 'objectRef', 'subresource') !== null;
}

/** The accounts of a run have what Roles give them; to review oneself is everybody's. */
function reasonFits(raw: unknown): boolean {
  const identity = textAt(raw, 'impersonatedUser', 'username') ?? textAt(raw, 'user', 'username') ?? '';
  return !ACCOUNTS.has(identity) || textAt(raw, 'objectRef', 'resource') === 'selfsubjectaccessreviews' || textAt(raw, 'annotations', REASON)?.startsWith('RBAC: allowed by ClusterRoleBinding') !== true;
}

interface PathOfRequest {
  readonly apiGroup: string;
  readonly namespace: string | undefined;
  readonly resource: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** As the API server reads the path of a request. */
function readPath(path: string): PathOfRequest {
  const [root, ...rest] = path.split('/').slice(1).map(decoded);
  const [apiGroup, parts] = root === 'apis' ? [rest[0] ?? '', rest.slice(2)] : ['', rest.slice(1)];
  const [first, namespace, third] = parts;
  const inNamespace = first === 'namespaces' && third !== undefined && third !== 'status' && third !== 'finalize';
  const [resource, name, subresource] = inNamespace ? parts.slice(2) : parts;
  return { apiGroup, namespace: inNamespace ? namespace : undefined, resource, name, subresource };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The name of what is created is in its body, and that of a list of one in the selector. */
function pathFits(raw: unknown): boolean {
  const [path = '', query = ''] = (textAt(raw, 'requestURI') ?? '').split('?');
  const said = readPath(path);
  const field = (name: string): string | undefined => textAt(raw, 'objectRef', name) ?? undefined;
  const name = field('name');
  const isNamed = said.name === name || (said.name === undefined && (textAt(raw, 'verb') === 'create' || (new URLSearchParams(query).get('fieldSelector') ?? '').split(',').includes(`metadata.name=${name}`)));
  return said.apiGroup === (field('apiGroup') ?? '') && said.resource === field('resource') && said.subresource === field('subresource') && (said.resource === 'namespaces' || said.namespace === field('namespace')) && isNamed;
}

/** The answer repeats the question, and is one. */
function reviewFits(raw: unknown): boolean {
  if (textAt(raw, 'objectRef', 'resource') !== 'selfsubjectaccessreviews' || at(raw, 'responseObject', 'status', 'allowed') === undefined) return true;
  const asked = (half: string): string => JSON.stringify(REVIEWED.map((field) => textAt(raw, half, 'spec', 'resourceAttributes', field) ?? ''));
  return numberAt(raw, 'responseStatus', 'code') === REVIEW_ANSWERED && textAt(raw, 'responseObject', 'status', 'evaluationError') === null && asked('requestObject') === asked('responseObject');
}

/** A kubelet says its version with every request, without what follows the numbers. */
function agentFits(raw: unknown, kubeletVersions: ReadonlyMap<string, string>): boolean {
  const node = kubeletVersions.get((textAt(raw, 'user', 'username') ?? '').replace(/^system:node:/, ''));
  const [, agent] = /^(?:kubelet|k3s)\/v(\d+\.\d+\.\d+)/.exec(textAt(raw, 'userAgent') ?? '') ?? [];
  return node === undefined || agent === undefined || /^v?(\d+\.\d+\.\d+)/.exec(node)?.[1] === agent;
}
