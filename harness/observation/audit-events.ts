import type { AuditEvent } from '../../evidence/observation.ts';

interface RawEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly user?: { readonly username?: string; readonly extra?: Readonly<Record<string, readonly string[]>> };
  readonly impersonatedUser?: { readonly username?: string };
  readonly objectRef?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code?: number; readonly reason?: string };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly requestObject?: {
    readonly spec?: {
      readonly resourceAttributes?: Readonly<Record<string, string>>;
      readonly expirationSeconds?: number | null;
      readonly audiences?: readonly string[] | null;
      readonly boundObjectRef?: { readonly kind?: string; readonly uid?: string } | null;
    };
  };
  readonly responseObject?: {
    readonly spec?: { readonly resourceAttributes?: Readonly<Record<string, string>> };
    readonly status?: { readonly allowed?: boolean };
  };
}

const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';
const POD_NAME = 'authentication.kubernetes.io/pod-name';
const POD_UID = 'authentication.kubernetes.io/pod-uid';

/** Reads `audit.k8s.io/v1` JSON lines; a last line without its end was being written and is left for the next reading. */
export function parseAuditLog(text: string): AuditEvent[] {
  return linesOf(text).map(parseAuditLine);
}

export function linesOf(text: string): string[] {
  const end = text.lastIndexOf('\n');
  return text
    .slice(0, end + 1)
    .split('\n')
    .filter((line) => line !== '');
}

export function parseAuditLine(line: string): AuditEvent {
  return toAuditEvent(JSON.parse(line) as RawEvent);
}

function toAuditEvent(raw: RawEvent): AuditEvent {
  const reference = raw.objectRef ?? {};
  const extra = raw.user?.extra ?? {};
  return {
    auditId: raw.auditID,
    stage: raw.stage,
    verb: raw.verb,
    user: raw.user?.username ?? '',
    impersonatedUser: raw.impersonatedUser?.username ?? null,
    apiGroup: reference['apiGroup'] ?? '',
    resource: reference['resource'] ?? null,
    subresource: reference['subresource'] ?? null,
    namespace: reference['namespace'] ?? null,
    name: reference['name'] ?? null,
    resourceVersion: reference['resourceVersion'] ?? null,
    uid: reference['uid'] ?? null,
    code: raw.responseStatus?.code ?? null,
    reason: raw.responseStatus?.reason ?? null,
    receivedAt: raw.requestReceivedTimestamp,
    completedAt: raw.stageTimestamp,
    credentialId: extra[CREDENTIAL_ID]?.[0] ?? null,
    podName: extra[POD_NAME]?.[0] ?? null,
    podUid: extra[POD_UID]?.[0] ?? null,
    accessReview: toAccessReview(raw),
    ...tokenQuestion(raw),
  };
}

function toAccessReview(raw: RawEvent): AuditEvent['accessReview'] {
  const asked = raw.requestObject?.spec?.resourceAttributes ?? raw.responseObject?.spec?.resourceAttributes;
  const allowed = raw.responseObject?.status?.allowed;
  if (asked === undefined || allowed === undefined) return null;
  return {
    verb: asked['verb'] ?? '',
    group: asked['group'] ?? '',
    resource: asked['resource'] ?? '',
    subresource: asked['subresource'] ?? '',
    namespace: asked['namespace'] ?? '',
    name: asked['name'] ?? '',
    allowed,
  };
}

function tokenQuestion({ objectRef, requestObject }: RawEvent): Pick<AuditEvent, 'tokenRequest'> {
  if (objectRef?.['resource'] !== 'serviceaccounts' || objectRef['subresource'] !== 'token' || requestObject === undefined) return {};
  const { expirationSeconds, audiences, boundObjectRef } = requestObject.spec ?? {};
  return { tokenRequest: { expirationSeconds: expirationSeconds ?? null, audiences: audiences ?? [], boundPodUid: boundObjectRef?.kind === 'Pod' ? (boundObjectRef.uid ?? null) : null } };
}

/** The events that concern a run: everything in its namespaces, and every access review (those have no namespace). */
export function concernsRun(event: AuditEvent, namespaces: ReadonlySet<string>): boolean {
  return (event.namespace !== null && namespaces.has(event.namespace)) || (event.resource === 'namespaces' && namespaces.has(event.name ?? '')) || event.accessReview !== null || event.resource === 'selfsubjectaccessreviews';
}
