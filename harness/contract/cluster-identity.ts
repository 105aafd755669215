import { CONTRACT_NAMES, PROBE_NAMES } from '../../evidence/contract-names.ts';
import { deploymentTargetDigest } from '../../images/cluster-admin/src/index.ts';

const PLACES = [CONTRACT_NAMES, PROBE_NAMES];

/**
 * A cluster identity under which every target digest of the run can be a label value. In base64url a digest may begin
 * with `-` or `_`, which no API server takes as a label (one in 32 does); a counter at the end finds one that does not.
 */
export function chooseClusterIdentity(base: string): string {
  for (let counter = 0; ; counter += 1) {
    const clusterIdentity = `${base}/${counter}`;
    if (PLACES.every((place) => /^[A-Za-z0-9]/.test(labelOf(clusterIdentity, place)))) return clusterIdentity;
  }
}

function labelOf(clusterIdentity: string, place: (typeof PLACES)[number]): string {
  const digest = deploymentTargetDigest({
    clusterIdentity,
    stageNamespace: place.stageNamespace,
    namespace: place.workerNamespace,
    targetSecretName: place.targetSecret,
    targetDataKey: place.targetDataKey,
    targetDeploymentName: place.deployment,
  });
  return Buffer.from(digest, 'hex').toString('base64url');
}
