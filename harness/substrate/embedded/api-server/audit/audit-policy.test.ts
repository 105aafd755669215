import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { UserInfo } from '../authentication/user-info.ts';
import type { AccessAttributes } from '../authorization/access-attributes.ts';
import { AuditPolicy } from './audit-policy.ts';
import { readAuditPolicy } from './read-audit-policy.ts';

const OWN_POLICY = new URL('../../../../../manifests/audit/policy.yaml', import.meta.url).pathname;
const user = (username: string, groups: readonly string[] = []): UserInfo => ({ username, groups: [...groups] });
const resource = (verb: string, path: string, group = '', name = ''): AccessAttributes => {
  const [plural = '', subresource = ''] = path.split('/');
  return { isResourceRequest: true, verb, group, version: 'v1', resource: plural, subresource, namespace: 'work', name };
};
const nonResource = (path: string): AccessAttributes => ({ isResourceRequest: false, verb: 'get', path });

let directory = '';
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ql3-policy-'));
});
after(async () => {
  await rm(directory, { recursive: true });
});

async function policyOf(rules: string): Promise<AuditPolicy> {
  const path = join(directory, 'policy.yaml');
  await writeFile(path, `apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n${rules}`);
  return new AuditPolicy(await readAuditPolicy(path));
}

describe('the audit policy of this repository', () => {
  for (const [what, level, who, attributes] of [
    ['a read of a Secret', 'Metadata', 'system:admin', resource('get', 'secrets', '', 'a')],
    ['a write of a Secret', 'Metadata', 'system:admin', resource('update', 'secrets', '', 'a')],
    ['a ServiceAccount', 'Metadata', 'system:admin', resource('create', 'serviceaccounts')],
    ['a TokenRequest', 'Request', 'system:admin', resource('create', 'serviceaccounts/token', '', 'a')],
    ['an access review', 'RequestResponse', 'somebody', resource('create', 'selfsubjectaccessreviews', 'authorization.k8s.io')],
    ['an access review of the API server itself', 'RequestResponse', 'system:apiserver', resource('create', 'selfsubjectaccessreviews', 'authorization.k8s.io')],
    ['a lease', 'None', 'system:node:a', resource('update', 'leases', 'coordination.k8s.io', 'a')],
    ['an event', 'None', 'system:node:a', resource('create', 'events')],
    ['what the API server does itself', 'None', 'system:apiserver', resource('list', 'pods')],
    ['a health check', 'None', 'system:anonymous', nonResource('/readyz/ping')],
    ['another path', 'Metadata', 'system:anonymous', nonResource('/version')],
  ] as const) {
    it(`writes down ${what} at ${level}`, async () => {
      assert.equal(new AuditPolicy(await readAuditPolicy(OWN_POLICY)).levelOf(user(who), attributes), level);
    });
  }
});

describe('an audit policy', () => {
  it('is decided by its first rule that matches, and writes nothing down where none does', async () => {
    const policy = await policyOf('  - {level: Metadata, verbs: [get]}\n  - {level: Request, users: [a]}\n  - {level: RequestResponse, userGroups: [g], namespaces: [work]}\n');
    assert.equal(policy.levelOf(user('a'), resource('get', 'pods')), 'Metadata');
    assert.equal(policy.levelOf(user('a'), resource('list', 'pods')), 'Request');
    assert.equal(policy.levelOf(user('b', ['g']), resource('list', 'pods')), 'RequestResponse');
    assert.equal(policy.levelOf(user('b', ['g']), nonResource('/x')), 'Metadata');
    assert.equal(policy.levelOf(null, resource('list', 'pods')), 'None');
  });

  it('tells a resource from what lies below it', async () => {
    const policy = await policyOf('  - {level: Metadata, resources: [{group: "", resources: [pods, "*/status"]}]}\n  - {level: Request, resources: [{group: "", resources: ["pods/*"], resourceNames: [a]}]}\n');
    assert.deepEqual(['pods', 'pods/log', 'nodes/status', 'nodes'].map((path) => policy.levelOf(null, resource('get', path, '', 'a'))), ['Metadata', 'Request', 'Metadata', 'None']);
    assert.equal(policy.levelOf(null, resource('get', 'pods/log', '', 'b')), 'None');
  });

  for (const [what, rules] of [
    ['a level that there is not', '  - {level: Everything}\n'],
    ['a key that it does not carry out', '  - {level: Metadata, omitManagedFields: true}\n'],
    ['text where a list belongs', '  - {level: Metadata, users: a}\n'],
    ['no object as a rule', '  - Metadata\n'],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      await assert.rejects(policyOf(rules), { code: 'QL3_EMBEDDED_AUDIT_POLICY' });
    });
  }

  it('is refused when it is of another kind or is not there', async () => {
    const path = join(directory, 'other.yaml');
    await writeFile(path, 'kind: Policy\napiVersion: audit.k8s.io/v1beta1\n');
    await assert.rejects(readAuditPolicy(path), /expected a Policy of audit.k8s.io\/v1/);
    await assert.rejects(readAuditPolicy(join(directory, 'missing.yaml')), /expected a file that can be read, got "ENOENT"/);
  });
});
