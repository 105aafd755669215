import type { V1PodSpec } from '@kubernetes/client-node';

/** Guaranteed when every container limits what it requests, BestEffort when none asks for anything. */
export function qosClassOf(spec: V1PodSpec): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const asks = containers.some(({ resources }) => Object.keys({ ...resources?.limits, ...resources?.requests }).length > 0);
  if (!asks) return 'BestEffort';
  const guaranteed = containers.every(({ resources }) =>
    ['cpu', 'memory'].every((name) => {
      const limit = resources?.limits?.[name];
      return limit !== undefined && (resources?.requests?.[name] ?? limit) === limit;
    }),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}
