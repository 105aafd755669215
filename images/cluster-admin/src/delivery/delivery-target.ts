import { DEFAULT_TARGET_DATA_KEY, targetDigestLabelValue } from '../../../core/annotations.ts';
import { deploymentTargetDigest, type DeploymentTarget } from '../../../core/delivery.ts';
import { isClusterIdentity } from '../../../core/identifiers.ts';

/** What an operator configures; `targetDataKey` is `credential-token` if not given. */
export type DeliveryTargetOptions = Omit<DeploymentTarget, 'targetDataKey'> & { readonly targetDataKey?: string };

export interface DeliveryTarget extends DeploymentTarget {
  readonly digest: string;
  readonly digestLabel: string;
}

export class DeliveryTargetError extends Error {
  readonly code = 'QL3_WORKER_CREDENTIAL_DELIVERY_TARGET_INVALID';

  constructor(message: string) {
    super(message);
    this.name = 'DeliveryTargetError';
  }
}

const KEYS = ['clusterIdentity', 'stageNamespace', 'namespace', 'targetSecretName', 'targetDeploymentName', 'targetDataKey'];
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const DNS_SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const DATA_KEY = /^(?!\.\.?$)[A-Za-z0-9._-]{1,253}$/;
/** Kubernetes object names and IDs, "Labels and selectors: syntax". */
const LABEL_VALUE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

export function resolveDeliveryTarget(options: DeliveryTargetOptions): DeliveryTarget {
  const unknown = Object.keys(options).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw new DeliveryTargetError(`delivery target has an unknown key; expected ${KEYS.join(', ')}`);
  const target = { ...options, targetDataKey: options.targetDataKey ?? DEFAULT_TARGET_DATA_KEY };
  if (!isClusterIdentity(target.clusterIdentity)) {
    throw new DeliveryTargetError('clusterIdentity: expected alphanumeric, then [A-Za-z0-9._:/-], up to 128 characters');
  }
  requireName('stageNamespace', target.stageNamespace, DNS_LABEL);
  requireName('namespace', target.namespace, DNS_LABEL);
  requireName('targetSecretName', target.targetSecretName, DNS_SUBDOMAIN);
  requireName('targetDeploymentName', target.targetDeploymentName, DNS_SUBDOMAIN);
  requireName('targetDataKey', target.targetDataKey, DATA_KEY);
  if (target.stageNamespace === target.namespace) {
    throw new DeliveryTargetError(`stageNamespace and namespace must differ, both are ${target.namespace}`);
  }
  const digest = deploymentTargetDigest(target);
  return Object.freeze({ ...target, digest, digestLabel: requireLabelValue(digest) });
}

/** Base64url may begin with - or _, and such a label no API server accepts: better to say so before anything is staged. */
function requireLabelValue(digest: string): string {
  const value = targetDigestLabelValue(digest);
  if (!LABEL_VALUE.test(value)) {
    throw new DeliveryTargetError(
      `the target digest ${digest} in base64url begins with ${value.charAt(0)}, which is no Kubernetes label value: choose another clusterIdentity`,
    );
  }
  return value;
}

function requireName(field: string, value: unknown, pattern: RegExp): void {
  if (typeof value !== 'string' || !pattern.test(value)) {
    throw new DeliveryTargetError(`${field}: expected a Kubernetes name matching ${pattern.source}`);
  }
}
