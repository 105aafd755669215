import { requests, succeeded } from '../facts/audit.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { judged, rule } from '../verdict.ts';

const LEAST_IDENTITIES = 3;

/** The API server is one that ships in a cluster image, and it authenticated several parties. Never so on `embedded`. */
export const realKubernetesApi = judged((run: ObservedRun) => {
  const [started, version, node, cluster] = [run.last('run.started'), run.last('platform.version'), run.last('platform.node'), run.last('platform.cluster')];
  const firstByUser = new Map(requests(run).filter(succeeded).toReversed().map((request) => [request.event.user, request]));
  return [
    rule('the cluster is no stand-in', started !== null && started.body.substrate !== 'embedded', [started]),
    rule('the API server names its version', version !== null, [version]),
    rule('the node runs the version that the API server names', node !== null && node.body.kubeletVersion === version?.body.gitVersion, [node, version]),
    rule('the container engine names the digest of the cluster image', cluster?.witness === 'docker' && cluster.body.imageDigest !== null, [cluster]),
    rule(`at least ${LEAST_IDENTITIES} authenticated identities are in the audit log`, firstByUser.size >= LEAST_IDENTITIES, firstByUser.values()),
  ];
});
