import { BUNDLE_LAYOUT } from '../../../evidence/bundle-layout.ts';
import { versions, type Versions } from '../../../evidence/bundle-parts.ts';
import type { Observation } from '../../../evidence/observation.ts';
import { faultsOf } from '../../../evidence/shape.ts';
import { readCanonical } from '../canonical-text.ts';

const { path } = BUNDLE_LAYOUT.versions;

/** Are the versions of what was observed those that were observed? */
export function versionFaults(text: string, observations: readonly Observation[]): string[] {
  const read = readCanonical(text);
  if (!read.ok) return [`${path}: ${read.fault}`];
  const faults = faultsOf(versions, read.value);
  if (faults.length > 0) return faults.map(({ path: field, expected, got }) => `${path}: ${field.slice(0, 200)}: expected ${expected}, got ${got}`);
  const { harness, kubernetes, postgresql } = read.value as Versions;
  return observations.flatMap((observation) => {
    switch (observation.kind) {
      case 'run.started':
        return differing(observation, 'harness.sourceRevision', harness.sourceRevision, observation.body.sourceRevision);
      case 'platform.version':
        return differing(observation, 'kubernetes.gitVersion', kubernetes.gitVersion, observation.body.gitVersion);
      case 'platform.node':
        return differing(observation, `kubernetes.kubelets.${observation.body.name}`, kubernetes.kubelets[observation.body.name], observation.body.kubeletVersion);
      case 'platform.database':
        return differing(observation, 'postgresql.serverVersion', postgresql.serverVersion, observation.body.serverVersion);
      case 'image.built':
        return differing(observation, 'harness.lockFileDigest', harness.lockFileDigest, observation.body.lockFileDigest);
      default:
        return [];
    }
  });
}

function differing({ seq }: Observation, field: string, said: string | undefined, observed: string): string[] {
  return said === observed ? [] : [`${path}: ${field}: observation ${seq} says ${JSON.stringify(observed.slice(0, 200))}`];
}
