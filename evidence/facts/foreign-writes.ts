import { STAGE_SECRET_PREFIX } from '../annotations.ts';
import { CONTRACT_NAMES, PROBE_NAMES } from '../contract-names.ts';
import { DELIVERY, PROBE_DELIVERY } from '../identities.ts';
import { administrator, auditedStages, IDENTITY_SECRET, isWrite, PROBE_DEPLOYMENT, PROBE_SECRET, TARGET_DEPLOYMENT, TARGET_SECRET, type ObjectName, type Request } from './audit.ts';
import { fact, type ObservedRun } from './observed-run.ts';

const { workerNamespace, stageNamespace, executorNamespace, controlDeployment, claim } = CONTRACT_NAMES;
const CLAIM: ObjectName = { resource: 'persistentvolumeclaims', namespace: workerNamespace, name: claim };

/** What was carried out, told at whatever stage: a watch and an `exec` go on, and may never be told as ended. */
const carriedOut = fact((run: ObservedRun): readonly Request[] => auditedStages(run).filter(({ event: { code } }) => code !== null && code < 300));
const writes = fact((run: ObservedRun): readonly Request[] => carriedOut(run).filter(isWrite));

/** Any request for the object, or for whatever of its kind is in its namespace. What is created without a name gets another one. */
function reaches({ event }: Request, object: ObjectName): boolean {
  return event.resource === object.resource && event.namespace === object.namespace && (event.name === object.name || (event.name === null && event.verb !== 'create'));
}

/** The cluster's own parts work on every object of a kind. */
const isOfTheCluster = (identity: string): boolean => identity === 'system:kube-controller-manager' || (identity.startsWith('system:serviceaccount:kube-system:') && !identity.includes(' as '));
const nodeIdentities = fact((run: ObservedRun): ReadonlySet<string> => new Set(run.of('platform.node').map(({ body }) => `system:node:${body.name}`)));

/** Where each delivery stages and publishes. */
const DELIVERIES = [
  { delivery: DELIVERY, stage: stageNamespace, secret: TARGET_SECRET, deployment: TARGET_DEPLOYMENT },
  { delivery: PROBE_DELIVERY, stage: PROBE_NAMES.stageNamespace, secret: PROBE_SECRET, deployment: PROBE_DEPLOYMENT },
];

/** Writes of what a delivery stages and publishes, and of the TLS identity, by anybody but who has to: the delivery alone, with the administrator, or the latter alone. */
export const foreignWrites = fact((run: ObservedRun): readonly Request[] =>
  writes(run).filter((request) => {
    const { event, identity } = request;
    const byAdministrator = identity === administrator(run) && event.verb !== 'deletecollection';
    const isForeign = DELIVERIES.some(({ delivery, stage, secret, deployment }) => {
      const byDelivery = identity === delivery && event.name !== null;
      if (isStaged(request, stage)) return !byDelivery;
      if (byDelivery || byAdministrator) return false;
      return reaches(request, secret) || (reaches(request, deployment) && event.subresource !== 'status' && !(isOfTheCluster(identity) && event.name !== null));
    });
    return isForeign || (reaches(request, IDENTITY_SECRET) && !byAdministrator);
  }),
);

function isStaged({ event }: Request, namespace: string): boolean {
  return event.resource === 'secrets' && event.namespace === namespace && (event.name?.startsWith(STAGE_SECRET_PREFIX) ?? event.verb !== 'create');
}

/** Writes of the rights of the accounts, and of the traffic of the executor, other than by the administrator who makes them once. */
export const foreignRoleWrites = fact((run: ObservedRun): readonly Request[] => madeOtherwise(run, new Set(['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'])));
export const foreignPolicyWrites = fact((run: ObservedRun): readonly Request[] => madeOtherwise(run, new Set(['networkpolicies'])));

function madeOtherwise(run: ObservedRun, resources: ReadonlySet<string | null>): readonly Request[] {
  return writes(run).filter(({ event, identity }) => resources.has(event.resource) && (event.verb !== 'create' || identity !== administrator(run)));
}

/** The volume of the Workers was given away. */
export const claimDeletions = fact((run: ObservedRun): readonly Request[] => writes(run).filter((request) => request.event.verb.startsWith('delete') && reaches(request, CLAIM)));

const READING_VERBS = new Set(['get', 'list', 'watch']);

/** Reads of the credential, of what is staged to become one, and of the TLS identity, by anybody but the delivery, the node and the administrator. */
export const foreignReads = fact((run: ObservedRun): readonly Request[] =>
  carriedOut(run).filter((request) => {
    const { event, identity } = request;
    if (!READING_VERBS.has(event.verb) || event.resource !== 'secrets' || identity === administrator(run)) return false;
    if (event.namespace === stageNamespace) return identity !== DELIVERY && !isOfTheCluster(identity);
    const credential = reaches(request, TARGET_SECRET);
    if (!credential && !reaches(request, IDENTITY_SECRET)) return false;
    if (event.name === null) return !isOfTheCluster(identity);
    return !nodeIdentities(run).has(identity) && !(credential && identity === DELIVERY);
  }),
);

const ENTERING = new Set<string | null>(['exec', 'attach', 'portforward', 'ephemeralcontainers']);

/** Ways into a container, other than the administrator's into Control, which reloads what it trusts. */
const entrances = fact((run: ObservedRun): readonly Request[] =>
  carriedOut(run).filter(({ event, identity }) => event.resource === 'pods' && ENTERING.has(event.subresource) && !(identity === administrator(run) && event.namespace === workerNamespace && event.name?.startsWith(`${controlDeployment}-`) === true)),
);
export const workerEntries = fact((run: ObservedRun): readonly Request[] => entrances(run).filter(({ event: { namespace } }) => namespace === workerNamespace || namespace === PROBE_NAMES.workerNamespace));
export const executorEntries = fact((run: ObservedRun): readonly Request[] => entrances(run).filter(({ event: { namespace } }) => namespace === executorNamespace));

/** Pods that were made or taken away by others than the administrator, the cluster's own parts and the node that runs them. */
export const foreignPodWrites = fact((run: ObservedRun): readonly Request[] =>
  writes(run).filter(
    ({ event, identity }) =>
      event.resource === 'pods' &&
      event.subresource === null &&
      (event.namespace === workerNamespace || event.namespace === executorNamespace) &&
      (event.verb === 'create' || event.verb.startsWith('delete')) &&
      !(identity === administrator(run) || isOfTheCluster(identity) || nodeIdentities(run).has(identity)),
  ),
);
