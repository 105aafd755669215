import { fact, type ObservedRun } from '../facts/observed-run.ts';
import type { DraftSection } from '../report.ts';

export const kubernetesSection = fact((run: ObservedRun): DraftSection<'kubernetes'> => {
  const [version, node, cluster] = [run.last('platform.version')?.body, run.last('platform.node')?.body, run.last('platform.cluster')?.body];
  return {
    distribution: distributionOf(run),
    image: cluster?.image ?? null,
    imageDigest: cluster?.imageDigest ?? null,
    architecture: architectureOf(node?.architecture),
    serverVersion: version?.gitVersion ?? null,
  };
});

/** K3s says so in its version; anything else in its place is named for what it is. */
function distributionOf(run: ObservedRun): 'k3s' | 'kubernetes' | 'embedded' | null {
  const [started, version] = [run.last('run.started')?.body, run.last('platform.version')?.body];
  if (started === undefined || version === undefined) return null;
  if (started.substrate === 'embedded') return 'embedded';
  return /\+k3s\d+$/.test(version.gitVersion) ? 'k3s' : 'kubernetes';
}

/** Go's, Docker's and Node's names of the two architectures are one. */
export function architectureOf(name: string | undefined): 'amd64' | 'arm64' | null {
  if (name === 'amd64' || name === 'x64' || name === 'x86_64') return 'amd64';
  return name === 'arm64' || name === 'aarch64' ? 'arm64' : null;
}
