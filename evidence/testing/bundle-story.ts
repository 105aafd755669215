import { composeBundle, type BundleContents } from '../compose-bundle.ts';
import type { BundleFiles } from '../bundle-layout.ts';
import type { ContainerLogLine, PlatformLogLine } from '../bundle-parts.ts';
import { deriveReport } from '../derive.ts';
import type { AuditEvent, Observation, ObservedObject } from '../observation.ts';
import { completeRun } from './complete-run.ts';
import { SOURCE_REVISION } from './platform-story.ts';
import { hex } from './story.ts';

/** What a run that made these observations would put into its bundle. */
export function contentsOf(observations: readonly Observation[] = completeRun()): BundleContents {
  return {
    report: JSON.parse(JSON.stringify(deriveReport(observations).report)) as unknown,
    observations,
    observationLog: observations.map((each) => `${JSON.stringify(each)}\n`).join(''),
    auditEvents: observations.flatMap((each) => (each.kind === 'api.audit' ? [`${JSON.stringify(toRawEvent(each.body, gitVersionOf(observations)))}\n`] : [])).join(''),
    finalObjects: lastStates(observations),
    manifests: writtenManifests(observations),
    containerLogs: observations.flatMap((each) => printedLine(each, observations)),
    platformLogs: [{ log: 'cluster.log', text: 'started' }, ...databaseLog(observations)],
    runLog: [
      { atMs: 0, endMs: null, text: 'starting' },
      { atMs: 0, endMs: 100, text: 'boot' },
    ],
    versions: {
      schemaVersion: 1,
      harness: { version: '0.1.0', sourceRevision: SOURCE_REVISION, lockFileDigest: hex('lock') },
      runtime: { node: '24.18.0' },
      machine: { platform: 'linux', architecture: 'x64', release: '6.1' },
      dependencies: { pg: '8.0.0' },
      kubernetes: { gitVersion: gitVersionOf(observations), kubelets: { 'ql3-node': gitVersionOf(observations) } },
      postgresql: { serverVersion: '18.4' },
    },
  };
}

export function bundleOf(observations?: readonly Observation[]): BundleFiles {
  return composeBundle(contentsOf(observations));
}

function gitVersionOf(observations: readonly Observation[]): string {
  const version = observations.find((each) => each.kind === 'platform.version');
  return version?.kind === 'platform.version' ? version.body.gitVersion : '';
}

/** As PostgreSQL logs that it starts, and what it refuses to whom. */
function databaseLog(observations: readonly Observation[]): PlatformLogLine[] {
  const line = (at: string, user: string, text: string): PlatformLogLine => ({ log: 'postgres.log', text: `${at.replace('T', ' ').replace('Z', ' UTC')} [42] ${user} ${text}` });
  return observations.flatMap(({ kind, at, body }) => {
    if (kind === 'platform.database') return [line(at, '', `LOG:  starting PostgreSQL ${body.serverVersion} on x86_64-pc-linux-gnu`)];
    if (kind !== 'probe.result' || body.probe !== 'database-forbidden-statement') return [];
    const role = String(body.facts['role']);
    return [line(body.startedAt, role, 'ERROR:  permission denied for table worker_credentials'), line(body.startedAt, role, `STATEMENT:  ${String(body.facts['statement'])}`)];
  });
}

/** What the administrator has created, as it was before the API server had seen it. */
function writtenManifests(observations: readonly Observation[]): object[] {
  const created = new Set(observations.flatMap(({ kind, body }) => (kind === 'api.audit' && body.verb === 'create' && body.user === 'system:admin' && body.impersonatedUser === null ? [`${body.resource}/${body.namespace}/${body.name}`] : [])));
  return observations.flatMap(({ kind, body }) => {
    if (kind !== 'api.object' && (kind !== 'api.watched' || body.type !== 'ADDED')) return [];
    const { status: _status, metadata: { uid: _uid, resourceVersion: _version, creationTimestamp: _creation, generation: _generation, ...metadata }, ...object } = body.object;
    const plural = object.kind === 'NetworkPolicy' ? 'networkpolicies' : `${object.kind.toLowerCase()}s`;
    return created.has(`${plural}/${metadata.namespace}/${metadata.name}`) ? [{ ...object, metadata }] : [];
  });
}

function lastStates(observations: readonly Observation[]): ObservedObject[] {
  const states = new Map<string, ObservedObject>();
  for (const { kind, body } of observations) {
    if (kind !== 'api.watched' && kind !== 'api.object') continue;
    if (kind === 'api.watched' && body.type === 'DELETED') states.delete(body.object.metadata.uid);
    else states.set(body.object.metadata.uid, body.object);
  }
  return [...states.values()];
}

function printedLine({ kind, body }: Observation, observations: readonly Observation[]): ContainerLogLine[] {
  if (kind !== 'process.line' && kind !== 'ingress.line') return [];
  const { podUid, index, line } = body;
  const watched = observations.find((each) => each.kind === 'api.watched' && each.body.object.metadata.uid === podUid);
  const { namespace = '', name = '' } = watched?.kind === 'api.watched' ? watched.body.object.metadata : {};
  return [{ namespace, podName: name, podUid, container: kind === 'process.line' ? body.container : 'control', index, line, text: null }];
}

/** The event as the API server would have logged it. */
function toRawEvent(event: AuditEvent, kubelet: string): object {
  const { accessReview, tokenRequest } = event;
  const extra = Object.entries({ 'credential-id': event.credentialId, 'pod-name': event.podName, 'pod-uid': event.podUid }).flatMap(([key, value]) => (value === null ? [] : [[`authentication.kubernetes.io/${key}`, [value]]]));
  const given = (fields: Readonly<Record<string, string | null>>): object => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ''));
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: accessReview !== null ? 'RequestResponse' : tokenRequest === undefined ? 'Metadata' : 'Request',
    auditID: event.auditId,
    stage: event.stage,
    requestURI: pathOf(event),
    verb: event.verb,
    user: { username: event.user, groups: groupsOf(event.user), ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) as object }) },
    ...(event.impersonatedUser === null ? {} : { impersonatedUser: { username: event.impersonatedUser, groups: ['system:authenticated'] } }),
    userAgent: event.user.startsWith('system:node:') ? `kubelet/${kubelet} (linux/amd64) kubernetes/0123456` : 'undici',
    objectRef: given({ apiGroup: event.apiGroup, resource: event.resource, subresource: event.subresource, namespace: event.namespace, name: event.name, resourceVersion: event.resourceVersion, uid: event.uid }),
    ...(event.code === null ? {} : { responseStatus: { code: event.code, ...given({ reason: event.reason }) } }),
    ...(accessReview === null ? {} : { requestObject: { spec: { resourceAttributes: withoutAllowed(accessReview) } }, responseObject: { spec: { resourceAttributes: withoutAllowed(accessReview) }, status: { allowed: accessReview.allowed } } }),
    ...(tokenRequest === undefined ? {} : { requestObject: toRawTokenRequest(tokenRequest) }),
    requestReceivedTimestamp: event.receivedAt,
    stageTimestamp: event.completedAt,
    annotations: { 'authorization.k8s.io/decision': event.code === 403 ? 'forbid' : 'allow' },
  };
}

function pathOf({ apiGroup, namespace, resource, name, subresource, verb }: AuditEvent): string {
  const named = verb === 'create' && subresource === null ? [] : [name, subresource];
  return [apiGroup === '' ? '/api/v1' : `/apis/${apiGroup}/v1`, ...(namespace === null || resource === 'namespaces' ? [] : ['namespaces', namespace]), resource, ...named].filter((part) => part !== null).join('/');
}

function groupsOf(user: string): readonly string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):/.exec(user) ?? [];
  if (namespace !== undefined) return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return user === 'system:admin' ? ['system:masters', 'system:authenticated'] : ['system:authenticated'];
}

function toRawTokenRequest({ expirationSeconds, audiences, boundPodUid }: NonNullable<AuditEvent['tokenRequest']>): object {
  return { kind: 'TokenRequest', spec: { expirationSeconds, audiences: audiences.length === 0 ? null : audiences, boundObjectRef: boundPodUid === null ? null : { kind: 'Pod', uid: boundPodUid } }, status: { token: '', expirationTimestamp: null } };
}

function withoutAllowed({ allowed: _allowed, ...asked }: NonNullable<AuditEvent['accessReview']>): object {
  return asked;
}
