import { dig as at, numberAt, textAt } from '../../../evidence/facts/fields.ts';
import type { AuditEvent } from '../../../evidence/observation.ts';
import { isObject } from '../../../evidence/shape.ts';

const EXTRA = 'authentication.kubernetes.io';

/** What the gates use of an `audit.k8s.io/v1` event; null when it is none. */
export function toAuditEvent(raw: unknown): AuditEvent | null {
  if (!isObject(raw) || raw['kind'] !== 'Event' || raw['apiVersion'] !== 'audit.k8s.io/v1') return null;
  const [auditId, stage, verb, receivedAt, completedAt] = ['auditID', 'stage', 'verb', 'requestReceivedTimestamp', 'stageTimestamp'].map((key) => textAt(raw, key));
  if (!auditId || !stage || !verb || !receivedAt || !completedAt) return null;
  return {
    auditId,
    stage,
    verb,
    user: textAt(raw, 'user', 'username') ?? '',
    impersonatedUser: textAt(raw, 'impersonatedUser', 'username'),
    apiGroup: textAt(raw, 'objectRef', 'apiGroup') ?? '',
    resource: textAt(raw, 'objectRef', 'resource'),
    subresource: textAt(raw, 'objectRef', 'subresource'),
    namespace: textAt(raw, 'objectRef', 'namespace'),
    name: textAt(raw, 'objectRef', 'name'),
    resourceVersion: textAt(raw, 'objectRef', 'resourceVersion'),
    uid: textAt(raw, 'objectRef', 'uid'),
    code: numberAt(raw, 'responseStatus', 'code'),
    reason: textAt(raw, 'responseStatus', 'reason'),
    receivedAt,
    completedAt,
    credentialId: textAt(raw, 'user', 'extra', `${EXTRA}/credential-id`, '0'),
    podName: textAt(raw, 'user', 'extra', `${EXTRA}/pod-name`, '0'),
    podUid: textAt(raw, 'user', 'extra', `${EXTRA}/pod-uid`, '0'),
    accessReview: accessReviewOf(raw),
    ...tokenQuestionOf(raw),
  };
}

/** The answer repeats the question; the request is the one that was asked. */
function accessReviewOf(raw: unknown): AuditEvent['accessReview'] {
  const asked = at(raw, 'requestObject', 'spec', 'resourceAttributes') ?? at(raw, 'responseObject', 'spec', 'resourceAttributes');
  const allowed = at(raw, 'responseObject', 'status', 'allowed');
  if (asked === undefined || typeof allowed !== 'boolean') return null;
  const field = (name: string): string => textAt(asked, name) ?? '';
  return { verb: field('verb'), group: field('group'), resource: field('resource'), subresource: field('subresource'), namespace: field('namespace'), name: field('name'), allowed };
}

/** What a TokenRequest asked for, where the policy had it written down. */
function tokenQuestionOf(raw: unknown): Pick<AuditEvent, 'tokenRequest'> {
  if (textAt(raw, 'objectRef', 'resource') !== 'serviceaccounts' || textAt(raw, 'objectRef', 'subresource') !== 'token' || at(raw, 'requestObject') === undefined) return {};
  const audiences = at(raw, 'requestObject', 'spec', 'audiences');
  return {
    tokenRequest: {
      expirationSeconds: numberAt(raw, 'requestObject', 'spec', 'expirationSeconds'),
      audiences: Array.isArray(audiences) ? audiences.filter((audience) => typeof audience === 'string') : [],
      boundPodUid: textAt(raw, 'requestObject', 'spec', 'boundObjectRef', 'kind') === 'Pod' ? textAt(raw, 'requestObject', 'spec', 'boundObjectRef', 'uid') : null,
    },
  };
}
