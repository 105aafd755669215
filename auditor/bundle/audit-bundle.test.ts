import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { ATTESTATION_PATH, BUNDLE_LAYOUT, MANIFEST_PATH, type BundleFiles } from '../../evidence/bundle-layout.ts';
import { manifestOf } from '../../evidence/bundle-manifest.ts';
import { canonicalJson } from '../../evidence/canonical-json.ts';
import { sealBundle } from '../../evidence/compose-bundle.ts';
import { signEnvelope } from '../../evidence/dsse.ts';
import type { ObservedObject } from '../../evidence/observation.ts';
import type { Report } from '../../evidence/report.ts';
import { STATEMENT_PAYLOAD_TYPE, statementOf } from '../../evidence/statement.ts';
import { bundleOf, contentsOf } from '../../evidence/testing/bundle-story.ts';
import { auditBundle } from './audit-bundle.ts';
import { auditManifest } from './manifest.ts';

const CONTENTS = contentsOf();
const FILES = bundleOf();
const REPORT = { text: `${canonicalJson(CONTENTS.report)}\n`, value: CONTENTS.report };
const KEYS = generateKeyPairSync('ed25519');
const OTHER_KEYS = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function audit(files: BundleFiles, publicKey = null as Parameters<typeof auditBundle>[2], report = REPORT): readonly string[] {
  return auditBundle({ files, faults: [] }, report, publicKey).map(({ code, detail }) => `${code.replace('QL3_WORKER_KUBERNETES_LIVE_', '')}: ${detail}`);
}
/** One part edited as text; resealed as a forger would, unless told otherwise. */
function edited(path: string, change: (text: string) => string, { seal = true } = {}): BundleFiles {
  const text = Buffer.from(FILES.get(path) ?? []).toString();
  const changed = change(text);
  assert.notEqual(changed, text);
  const files = new Map([...FILES, [path, Buffer.from(changed)]]);
  return seal ? sealBundle(files) : files;
}
const line = (number: number, change: (line: string) => string | null) => (text: string) =>
  text
    .split('\n')
    .flatMap((each, index) => (index === number ? [change(each)].filter((kept) => kept !== null) : [each]))
    .join('\n');
const changedObject = (kind: string, name: string, change: (object: ObservedObject) => ObservedObject) => (text: string) =>
  text
    .split('\n')
    .map((each) => (each.includes(`"kind":"${kind}"`) && each.includes(`"name":"${name}"`) ? canonicalJson(change(JSON.parse(each) as ObservedObject)) : each))
    .join('\n');
function signed(files: BundleFiles, keys = KEYS.privateKey, payload = statementOf(files, CONTENTS.report as Report, CONTENTS.observations)): BundleFiles {
  return new Map([...files, [ATTESTATION_PATH, Buffer.from(`${canonicalJson(signEnvelope(STATEMENT_PAYLOAD_TYPE, payload, keys))}\n`)]]);
}
/** How the kubelet writes down, when the container has long ended, what became of its Pod. */
const laterStatus = (change: object) => changedObject('Pod', 'ql3-worker-credential-executor-live-abcde', ({ metadata, ...object }) => ({ ...object, metadata: { ...metadata, resourceVersion: '999999' }, status: { ...(object['status'] as object), ...change } }));
const hasOne = (found: readonly string[], pattern: RegExp): void => assert.ok(found.some((each) => pattern.test(each)), found.join('\n') || 'nothing was found');

describe('auditing a bundle', () => {
  it('accepts one that holds together', () => assert.deepEqual(audit(FILES), []));
  it('accepts what a kubelet wrote last into the status of a Pod that had ended, after the watch', () => {
    assert.deepEqual(audit(edited(BUNDLE_LAYOUT.finalObjects.path, laterStatus({ conditions: [{ type: 'PodReadyToStartContainers', status: 'False' }] }))), []);
  });

  for (const { path } of Object.values(BUNDLE_LAYOUT)) {
    it(`finds BUNDLE_INTEGRITY when ${path} is missing, and when it is not what the manifest says`, () => {
      hasOne(auditManifest(new Map([...FILES].filter(([each]) => each !== path))).faults, new RegExp(`^${path}: expected it in the bundle`));
      hasOne(auditManifest(edited(path, (text) => `${text}\n`, { seal: false })).faults, new RegExp(`^${path}: expected \\d+ bytes`));
      hasOne(audit(edited(path, (text) => text.replace(/n/, 'm'), { seal: false })), new RegExp(`^BUNDLE_INTEGRITY: ${path}: expected the SHA-256`));
    });
    it(`finds SECRET_EXPOSURE in ${path}`, () => hasOne(audit(edited(path, (text) => `${text}ql3w_live_generation_1_${'A'.repeat(43)}`)), new RegExp(`^SECRET_EXPOSURE: ${path}: holds a Worker credential token`)));
    it(`finds what is no UTF-8 in ${path}`, () => hasOne(audit(sealBundle(new Map([...FILES, [path, Buffer.from([0xff])]]))), /BUNDLE_INTEGRITY: .*: expected UTF-8/));
  }

  it('finds BUNDLE_INTEGRITY in a manifest that is missing, no JSON, not canonical, or says more', () => {
    hasOne(audit(new Map([...FILES].filter(([path]) => path !== MANIFEST_PATH))), /^BUNDLE_INTEGRITY: manifest.json: expected it/);
    for (const change of [() => '{', (text: string) => ` ${text}`, (text: string) => text.replace('{', '{"extra":1,'), (text: string) => text.replace(/"path":"[^"]+"/, '"path":"../x"'), (text: string) => text.replace(/"path":"[^"]+"/, '"path":"report.json"')]) {
      hasOne(audit(edited(MANIFEST_PATH, change, { seal: false })), /^BUNDLE_INTEGRITY: /);
    }
  });
  it('finds BUNDLE_INTEGRITY in a bundle that calls itself of an earlier format, to be asked for less', () => {
    const format = 'qinglong/rollout-evidence-bundle@v1';
    const earlier = (files: BundleFiles): BundleFiles => new Map([...files, [MANIFEST_PATH, Buffer.from(`${canonicalJson(manifestOf(files, format))}\n`)]]);
    hasOne(audit(earlier(FILES)), /^BUNDLE_INTEGRITY: logs\/platform.jsonl: expected no such part in a bundle of .*@v1/);
    const withoutLater = new Map([...FILES].filter(([path]) => path !== BUNDLE_LAYOUT.platformLogs.path));
    hasOne(audit(earlier(withoutLater)), /^BUNDLE_INTEGRITY: observations.jsonl: expected log version 1 in a bundle of .*@v1, got 2/);
    hasOne(audit(edited(BUNDLE_LAYOUT.observations.path, (text) => text.replace('"logVersion":2,', ''))), /^BUNDLE_INTEGRITY: observations.jsonl: expected log version 2 in a bundle of .*@v2, got 1/);
  });
  it('says first that the bundle is of another run, with both runs, when it is', () => {
    const other = REPORT.text.replaceAll('-admin:run-00000000', '-admin:run-0000cafe');
    const [first] = audit(FILES, null, { text: other, value: JSON.parse(other) as typeof REPORT.value });
    assert.match(first ?? '', /^BUNDLE_INTEGRITY: this bundle is of another run: the report is of run run-0000cafe, the bundle of run run-00000000, /);
    assert.ok(!audit(FILES, null, { ...REPORT, text: ` ${REPORT.text}` }).some((each) => each.includes('another run')));
  });

  it('finds BUNDLE_INTEGRITY when the report that was handed in is another', () => {
    hasOne(audit(FILES, null, { ...REPORT, text: ` ${REPORT.text}` }), /BUNDLE_INTEGRITY: report.json: the report that was handed in differs from the bundle’s own in form alone/);
    hasOne(audit(FILES, null, { ...REPORT, text: canonicalJson({}), value: {} }), /BUNDLE_INTEGRITY: report.json: the report that was handed in differs from the bundle’s own in content$/);
    const spaced = ` ${REPORT.text}`;
    hasOne(audit(edited('report.json', () => spaced), null, { ...REPORT, text: spaced }), /BUNDLE_INTEGRITY: report.json: expected canonical JSON/);
  });
  it('says what is wrong with a layout, and nothing of what could then not be read', () => {
    const found = auditBundle({ files: new Map(), faults: ['the bundle: expected nothing but the files of a bundle, got "notes.txt"'] }, REPORT, KEYS.publicKey).map(({ detail }) => detail);
    assert.deepEqual(found, ['the bundle: expected nothing but the files of a bundle, got "notes.txt"', 'the rest of the bundle was not looked at']);
  });
  it('finds DERIVATION when the report was edited and hashed again', () => {
    const value = { ...(CONTENTS.report as Report), observedAt: '2026-01-15T11:00:00.000Z' };
    const text = `${canonicalJson(value)}\n`;
    hasOne(audit(edited('report.json', () => text), null, { text, value }), /^DERIVATION: observedAt/);
  });
});

describe('a bundle’s witnesses against its observation log', () => {
  const { auditEvents, containerLogs, finalObjects, imageInputs, manifests, platformLogs, runLog, versions, observations } = BUNDLE_LAYOUT;
  for (const [what, path, change, pattern] of [
    ['a request that the API server did not log', auditEvents.path, line(7, () => null), /^DERIVATION: api\/audit.jsonl, line 8: observation \d+ says otherwise/],
    ['a request that was logged and left out of the observations', auditEvents.path, (text: string) => text + text.split('\n')[0] + '\n', /^DERIVATION: .*no observation was taken down/],
    ['a log of requests that ends early', auditEvents.path, (text: string) => text.split('\n').slice(0, 20).join('\n') + '\n', /^DERIVATION: .*has not logged what observation/],
    ['a request by another user', auditEvents.path, line(3, (text) => text.replace(/"username":"[^"]+"/, '"username":"mallory"')), /^DERIVATION: .*observation \d+ says otherwise of request .*: user/],
    ['an account of the cluster with the groups of the administrator', auditEvents.path, (text: string) => text.replace('["system:serviceaccounts",', '["system:masters",'), /^DERIVATION: .*names groups that its user cannot have/],
    ['an issuer with the groups of the administrator', auditEvents.path, (text: string) => text.replace(/("impersonatedUser":\{[^}]*"groups":\[)/, '$1"system:masters",'), /^DERIVATION: .*names groups that its user cannot have/],
    ['an answer to what was forbidden', auditEvents.path, (text: string) => text.replace('"authorization.k8s.io/decision":"allow"', '"authorization.k8s.io/decision":"forbid"'), /^DERIVATION: .*decided does not go with the answer/],
    ['an account with Roles alone that a ClusterRole allowed to act', auditEvents.path, (text: string) => text.replace(/("objectRef":\{"resource":"serviceaccounts","subresource":"token"[^\n]*"authorization.k8s.io\/decision":"allow")/, '$1,"authorization.k8s.io/reason":"RBAC: allowed by ClusterRoleBinding \\"all\\" of ClusterRole \\"cluster-admin\\""'), /^DERIVATION: .*allowed by a ClusterRole to an account that has Roles alone/],
    ['a refusal of what was allowed', auditEvents.path, (text: string) => text.replace('"authorization.k8s.io/decision":"forbid"', '"authorization.k8s.io/decision":"allow"'), /^DERIVATION: .*decided does not go with the answer/],
    ['a request for another object', auditEvents.path, (text: string) => text.replace(/("requestURI":"[^"]*)\/ql3-worker-live-credential"/, '$1/another"'), /^DERIVATION: .*its path is of another object/],
    ['a request in another namespace', auditEvents.path, (text: string) => text.replace(/("requestURI":"\/api\/v1\/namespaces\/)[^/"]*\//, '$1default/'), /^DERIVATION: .*its path is of another object/],
    ['a review that was answered for another question', auditEvents.path, (text: string) => text.replace(/("responseObject":\{"spec":\{"resourceAttributes":\{"verb":)"[a-z]+"/, '$1"watch"'), /^DERIVATION: .*its review was answered for another question/],
    ['a review that ended with an error', auditEvents.path, (text: string) => text.replace('"status":{"allowed":false', '"status":{"evaluationError":"timeout","allowed":false'), /^DERIVATION: .*or with an error/],
    ['a review that was answered with another code', auditEvents.path, (text: string) => text.replace(/("resource":"selfsubjectaccessreviews"\},"responseStatus":\{"code":)201/, '$1500'), /^DERIVATION: .*or with an error/],
    ['a kubelet of another version', auditEvents.path, (text: string) => text.replace(/"kubelet\/v\d+\.\d+/, '"kubelet/v1.20'), /^DERIVATION: .*its kubelet is of another version/],
    ['two requests in another order', auditEvents.path, (text: string) => text.split('\n').slice(0, -1).toReversed().join('\n') + '\n', /^DERIVATION: /],
    ['a line of the audit log that is none', auditEvents.path, line(0, () => '{"kind":"Event"}'), /^DERIVATION: .*expected an event of audit.k8s.io/],
    ['a line that no container printed', containerLogs.path, line(4, () => null), /^DERIVATION: logs\/containers.jsonl: no container has printed what observation/],
    ['a printed line that was left out', containerLogs.path, (text: string) => text + (text.split('\n')[0] ?? '').replace(/"index":\d+/, '"index":999') + '\n', /^DERIVATION: .*a line of Pod .* was printed/],
    ['another content of an object’s state', finalObjects.path, line(0, (text) => text.replace('"kind"', '"extra":1,"kind"')), /^DERIVATION: api\/objects.jsonl: observation \d+ says otherwise of/],
    ['an object’s state that is earlier than what was seen', finalObjects.path, changedObject('Deployment', 'ql3-worker-live', (object) => ({ ...object, metadata: { ...object.metadata, resourceVersion: '1' } })), /^DERIVATION: api\/objects.jsonl: Deployment ql3-worker-live is at resourceVersion 1, observation \d+ shows it at/],
    ['an object’s state that nobody saw', finalObjects.path, changedObject('Deployment', 'ql3-worker-live', (object) => ({ ...object, spec: {}, metadata: { ...object.metadata, resourceVersion: '999999' } })), /^DERIVATION: api\/objects.jsonl: Deployment ql3-worker-live is at resourceVersion 999999/],
    ['a Job that ended otherwise afterwards', finalObjects.path, changedObject('Job', 'ql3-worker-credential-executor-live', (object) => ({ ...object, status: { failed: 1 }, metadata: { ...object.metadata, resourceVersion: '999999' } })), /^DERIVATION: api\/objects.jsonl: Job .* is at resourceVersion 999999/],
    ['a Pod that ended otherwise afterwards', finalObjects.path, laterStatus({ containerStatuses: [{ name: 'executor', state: { terminated: { exitCode: 1 } } }] }), /^DERIVATION: api\/objects.jsonl: Pod .* is at resourceVersion 999999/],
    ['a Pod that runs again afterwards', finalObjects.path, laterStatus({ phase: 'Running' }), /^DERIVATION: api\/objects.jsonl: Pod .* is at resourceVersion 999999/],
    ['an object in the place of another', finalObjects.path, changedObject('Secret', 'ql3-worker-live-credential', (object) => ({ ...object, metadata: { ...object.metadata, uid: 'u' } })), /^DERIVATION: api\/objects.jsonl: Secret ql3-worker-live-credential is missing/],
    ['no final objects', finalObjects.path, () => '', /^DERIVATION: api\/objects.jsonl: Deployment ql3-worker-live is missing/],
    ['a policy that nobody read', finalObjects.path, (text: string) => text + (text.split('\n').find((each) => each.includes('NetworkPolicy')) ?? '').replace(/"uid":"[^"]+"/, '"uid":"u"').replace('"name":"ql3-worker-credential-executor"', '"name":"open"') + '\n', /^DERIVATION: api\/objects.jsonl: no observation shows NetworkPolicy open/],
    ['a binding that nobody made', finalObjects.path, (text: string) => text + '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"b","namespace":"ql3-worker-rollout-live","resourceVersion":"1","uid":"u"}}\n', /^DERIVATION: api\/objects.jsonl: no observation shows RoleBinding b/],
    ['a Pod that nobody saw', finalObjects.path, (text: string) => text + '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ql3-worker-executor-probe-live","resourceVersion":"1","uid":"u"}}\n', /^DERIVATION: api\/objects.jsonl: no observation shows Pod p/],
    ['an object twice', finalObjects.path, (text: string) => text + text.split('\n')[0] + '\n', /^DERIVATION: api\/objects.jsonl: \S+ \S+ is there twice/],
    ['values of a Secret', finalObjects.path, (text: string) => text + '{"apiVersion":"v1","data":{"a":"Yg=="},"kind":"Secret","metadata":{"name":"a","resourceVersion":"1","uid":"u"}}\n', /^DERIVATION: api\/objects.jsonl, line \d+: .*no values of a Secret/],
    ['an object that was rendered and never written', manifests.path, () => '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","namespace":"b"}}\n', /^DERIVATION: .*has logged no creation of secrets\/b\/a/],
    ['an object that was made otherwise than it was rendered', manifests.path, (text: string) => text.replace('"Recreate"', '"RollingUpdate"'), /^DERIVATION: manifests\/rendered.jsonl, line \d+: deployments\/ql3-worker-rollout-live\/ql3-worker-live was made otherwise than it was rendered: spec.strategy.type/],
    ['a policy that was made wider than it was rendered', manifests.path, (text: string) => text.replace(/("egress":\[)\{.*?\}\]\},/, '$1'), /^DERIVATION: manifests\/rendered.jsonl, line \d+: networkpolicies\/\S+ was made otherwise than it was rendered: spec.egress/],
    ['an object that was made and not rendered', manifests.path, (text: string) => text.split('\n').filter((each) => !each.includes('"kind":"NetworkPolicy"')).join('\n'), /^DERIVATION: manifests\/rendered.jsonl: the API server has logged the creation of networkpolicies\//],
    ['values of a rendered Secret', manifests.path, () => '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"stringData":{"a":"b"}}\n', /^DERIVATION: .*no values of a Secret/],
    ['another base of an image', imageInputs.path, (text: string) => text.replace('node:24', 'node:20'), /^DERIVATION: images\/inputs.json/],
    ['another version of Kubernetes', versions.path, (text: string) => text.replace(/"gitVersion":"v1/, '"gitVersion":"v2'), /^DERIVATION: versions.json: kubernetes.gitVersion: observation \d+/],
    ['another source revision among the versions', versions.path, (text: string) => text.replace(/"sourceRevision":"[0-9a-f]{4}/, '"sourceRevision":"ffff'), /^DERIVATION: versions.json: harness.sourceRevision/],
    ['a forbidden statement of which the database knows nothing', platformLogs.path, (text: string) => text.replace('ERROR:  permission denied', 'LOG:  checkpoint starting'), /^DERIVATION: logs\/platform.jsonl: observation \d+ says that ql3_migration was refused/],
    ['one refusal for all attempts', platformLogs.path, (text: string) => text.split('\n').filter((each, index, lines) => !each.includes('ERROR') || lines.findIndex((other) => other.includes('ERROR')) === index).join('\n'), /^DERIVATION: logs\/platform.jsonl: observation \d+ says that ql3_runtime was refused/],
    ['a refusal of another role', platformLogs.path, (text: string) => text.replaceAll(' ql3_migration ', ' ql3_runtime '), /^DERIVATION: logs\/platform.jsonl: observation \d+ says that ql3_migration was refused/],
    ['a refusal that names no role where others do', platformLogs.path, (text: string) => text.replaceAll(' ql3_migration ', ' '), /^DERIVATION: logs\/platform.jsonl: observation \d+ says that ql3_migration was refused/],
    ['a refusal of another statement', platformLogs.path, (text: string) => text.replace('STATEMENT:  DELETE', 'STATEMENT:  SELECT'), /^DERIVATION: logs\/platform.jsonl: observation \d+ says that ql3_migration was refused/],
    ['a refusal without the statement that a container’s PostgreSQL logs', platformLogs.path, (text: string) => text.split('\n').filter((each) => !each.includes('STATEMENT')).join('\n'), /^DERIVATION: logs\/platform.jsonl: observation \d+ says that ql3_migration was refused/],
    ['a refusal of another table', platformLogs.path, (text: string) => text.replace('for table worker_credentials', 'for table projects'), /^DERIVATION: logs\/platform.jsonl: observation \d+ says that ql3_migration was refused/],
    ['another PostgreSQL than the one that logged', platformLogs.path, (text: string) => text.replace('starting PostgreSQL 18.4', 'starting PostgreSQL 17.2'), /^DERIVATION: logs\/platform.jsonl: observation \d+ says that PostgreSQL is "18.4"; it logged that it is "17.2"/],
    ['a refusal that the database logged at another time', platformLogs.path, (text: string) => text.replaceAll('2026-01-15', '2026-01-14'), /^DERIVATION: logs\/platform.jsonl: observation \d+ says that/],
    ['a refusal that is in another log than the database’s', platformLogs.path, (text: string) => text.replaceAll('postgres.log', 'cluster.log'), /^DERIVATION: logs\/platform.jsonl: observation \d+ says that/],
    ['a platform log of another shape', platformLogs.path, (text: string) => text.replaceAll('postgres.log', '../postgres.log'), /^DERIVATION: logs\/platform.jsonl, line 2/],
    ['a run log of another shape', runLog.path, () => '{}\n', /^DERIVATION: logs\/run.jsonl, line 1/],
    ['a gap in the observations', observations.path, line(30, () => null), /^BUNDLE_INTEGRITY: .*without a gap/],
    ['an observation that was invented', observations.path, line(30, (text) => text.replace(/"subject":"[^"]*"/, '"subject":7')), /^BUNDLE_INTEGRITY: observations, line 31/],
  ] as const) {
    it(`finds ${what}`, () => hasOne(audit(edited(path, change)), pattern));
  }
});

describe('the signature of a bundle', () => {
  it('is accepted from the key’s owner, of either kind', () => {
    assert.deepEqual(audit(signed(FILES), KEYS.publicKey), []);
    assert.deepEqual(audit(signed(FILES, OTHER_KEYS.privateKey), OTHER_KEYS.publicKey), []);
  });
  it('is not asked for without a key, but what it says is held against the bundle', () => {
    assert.deepEqual(audit(signed(FILES)), []);
    hasOne(audit(signed(FILES, KEYS.privateKey, Buffer.from('{}'))), /^BUNDLE_INTEGRITY: attestation.dsse.json: expected the statement that follows from this bundle/);
  });
  it('is missed with a key', () => hasOne(audit(FILES, KEYS.publicKey), /^BUNDLE_INTEGRITY: attestation.dsse.json: expected a signature, since/));
  it('is refused from somebody else, of another kind of key, and of an edited payload', () => {
    hasOne(audit(signed(FILES, generateKeyPairSync('ed25519').privateKey), KEYS.publicKey), /expected a signature by the public key/);
    hasOne(audit(signed(FILES), OTHER_KEYS.publicKey), /expected a signature by the public key/);
    hasOne(audit(signed(FILES), generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey), /expected a signature by the public key/);
    const envelope = JSON.parse(Buffer.from(signed(FILES).get(ATTESTATION_PATH) ?? []).toString()) as { payload: string };
    envelope.payload = Buffer.from(Buffer.from(envelope.payload, 'base64').toString().replace('PASSED', 'FAILED')).toString('base64');
    hasOne(audit(new Map([...FILES, [ATTESTATION_PATH, Buffer.from(`${canonicalJson(envelope)}\n`)]]), KEYS.publicKey), /expected a signature by the public key/);
  });
  it('does not carry over to another bundle of the same key', () => {
    const other = edited('versions.json', (text) => text.replace('24.18.0', '24.19.0'));
    hasOne(audit(new Map([...other, [ATTESTATION_PATH, signed(FILES).get(ATTESTATION_PATH) ?? Buffer.of()]]), KEYS.publicKey), /it was signed for another report or bundle; subject\.manifest\.json\.digest\.sha256: signed "[0-9a-f]{64}", here "[0-9a-f]{64}"$/);
  });
  it('says what differs when the report that is audited is another than the bundle’s', () => {
    const report = CONTENTS.report as Report;
    const value = { ...report, sourceRevision: 'f'.repeat(40), gates: { ...report.gates, recreateOrderingObserved: false } };
    const found = audit(signed(FILES), KEYS.publicKey, { text: canonicalJson(value), value });
    const said = found.filter((each) => each.includes('attestation.dsse.json')).join();
    assert.match(said, /it was signed for these very files, so the report that is audited is not the one that was signed; /);
    for (const part of [`predicate.configuration.source.digest.gitCommit: signed "${report.sourceRevision}", here "${'f'.repeat(40)}"`, 'predicate.passedTests.recreateOrderingObserved: signed "listed", here nothing', 'predicate.failedTests.recreateOrderingObserved: signed nothing, here "listed"']) assert.ok(said.includes(part), `${part} in ${said}`);
    assert.doesNotMatch(said, /subject|warnedTests/);
  });
  it('says so when a statement says the same in other bytes, nothing that is JSON, or much more', () => {
    const statement = statementOf(FILES, CONTENTS.report as Report, CONTENTS.observations).toString();
    hasOne(audit(signed(FILES, KEYS.privateKey, Buffer.from(` ${statement}`))), /it says the same in other bytes than canonical JSON, or in another order$/);
    hasOne(audit(signed(FILES, KEYS.privateKey, Buffer.from('?'))), /its statement is no JSON: /);
    const long = JSON.stringify({ ...(JSON.parse(statement) as object), ...Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`more${index}`, 'x'.repeat(5_000)])) });
    const [said = ''] = audit(signed(FILES, KEYS.privateKey, Buffer.from(long))).filter((each) => each.includes('attestation'));
    assert.match(said, /more0: signed "x+…, here nothing; .*; and 4\d more$/);
    assert.ok(said.length < 3_000, said);
  });
  it('is refused as an envelope of more, less or other than one signature', () => {
    const envelope = JSON.parse(Buffer.from(signed(FILES).get(ATTESTATION_PATH) ?? []).toString()) as Record<string, unknown>;
    for (const change of [{ signatures: [] }, { extra: 1 }, { payload: '!' }, { signatures: [envelope['signatures'], envelope['signatures']] }]) {
      hasOne(audit(new Map([...FILES, [ATTESTATION_PATH, Buffer.from(`${canonicalJson({ ...envelope, ...change })}\n`)]]), KEYS.publicKey), /^BUNDLE_INTEGRITY: attestation.dsse.json: \$/);
    }
  });
});
