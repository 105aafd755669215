import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';
const LEVELS: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse'];

export interface PolicyResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

export interface PolicyRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly namespaces: readonly string[];
  readonly resources: readonly PolicyResources[];
  readonly nonResourceURLs: readonly string[];
}

export class AuditPolicyError extends Error {
  override readonly name = 'AuditPolicyError';
  readonly code = 'QL3_EMBEDDED_AUDIT_POLICY';
}

/** Reads an `audit.k8s.io/v1` Policy. What this server does not carry out, it refuses: a policy that is followed by half would mislead. */
export async function readAuditPolicy(path: string): Promise<readonly PolicyRule[]> {
  const refuse = (expected: string, got: unknown): never => {
    throw new AuditPolicyError(`${path}: expected ${expected}, got ${JSON.stringify(got) ?? 'nothing'}; correct the policy`);
  };
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => refuse('a file that can be read', error.code));
  const policy = keysOf(parse(text), ['apiVersion', 'kind', 'metadata', 'omitStages', 'rules'], refuse);
  if (policy['apiVersion'] !== 'audit.k8s.io/v1' || policy['kind'] !== 'Policy') refuse('a Policy of audit.k8s.io/v1', [policy['apiVersion'], policy['kind']]);
  if (textsOf(policy['omitStages'], refuse).join() !== 'RequestReceived') refuse('omitStages with RequestReceived alone, which this server never writes', policy['omitStages']);
  return listOf(policy['rules'], refuse).map((rule) => readRule(rule, refuse));
}

type Refuse = (expected: string, got: unknown) => never;

function readRule(value: unknown, refuse: Refuse): PolicyRule {
  const rule = keysOf(value, ['level', 'users', 'userGroups', 'verbs', 'namespaces', 'resources', 'nonResourceURLs'], refuse);
  const level = LEVELS.find((known) => known === rule['level']) ?? refuse(`one of the levels ${LEVELS.join(', ')}`, rule['level']);
  const [users, userGroups, verbs, namespaces, nonResourceURLs] = ['users', 'userGroups', 'verbs', 'namespaces', 'nonResourceURLs'].map((key) => textsOf(rule[key], refuse)) as [string[], string[], string[], string[], string[]];
  const resources = listOf(rule['resources'], refuse).map((each): PolicyResources => {
    const named = keysOf(each, ['group', 'resources', 'resourceNames'], refuse);
    const group = named['group'] ?? '';
    return { group: typeof group === 'string' ? group : refuse('the name of a group', group), resources: textsOf(named['resources'], refuse), resourceNames: textsOf(named['resourceNames'], refuse) };
  });
  return { level, users, userGroups, verbs, namespaces, resources, nonResourceURLs };
}

function keysOf(value: unknown, known: readonly string[], refuse: Refuse): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(`an object with some of ${known.join(', ')}`, value);
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  return unknown.length === 0 ? (value as Readonly<Record<string, unknown>>) : refuse(`none but ${known.join(', ')}`, unknown);
}

function listOf(value: unknown, refuse: Refuse): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? (value as unknown[]) : refuse('a list', value);
}

function textsOf(value: unknown, refuse: Refuse): string[] {
  return listOf(value, refuse).map((item) => (typeof item === 'string' ? item : refuse('a text', item)));
}
