import type { GateName } from '../gate-names.ts';
import type { Meaning } from '../meaning.ts';

/** What each gate means when it is true. */
export const GATE_MEANINGS: Readonly<Record<GateName, Meaning>> = {
  realKubernetesApi: {
    title: 'a real Kubernetes API',
    proves: 'The contract ran against the Kubernetes API server of a cluster container, which logged requests of at least three separately authenticated identities and a node of its own.',
    doesNotProve: 'That the cluster is the pinned release (the section `kubernetes` and the profile say that), nor that another distribution, or a cluster of several nodes, behaves alike.',
  },
  secretAndDeploymentResourceVersionCas: {
    title: 'replaced by compare-and-swap alone',
    proves: 'Each of the four publications read the Secret and the Deployment, replaced each exactly once with the resourceVersion that it had read, and lost to a competing writer with a 409 when there was one.',
    doesNotProve: 'That Secret and Deployment change in one transaction: they are two writes, and between them a crash is possible, which the probe `crash-between-secret-and-deployment` provokes.',
  },
  recreateOrderingObserved: {
    title: 'old ended before new began',
    proves: 'At every replacement the old Pod had ended before the new one was created, had written its stop before the other its start, and its session was offline before the next was online: no two Workers ran at once. The one deleted by force need only be given up.',
    doesNotProve: 'That a node that is cut off has stopped its Pod: Pods were deleted through the API, no node was lost.',
  },
  pvcJournalSurvivedRolloutAndForcedPodLoss: {
    title: 'one volume, no record lost',
    proves: 'One claim and one volume served every Pod, and each successor found every earlier record byte for byte, the successor of a Pod that was deleted by force too.',
    doesNotProve: 'That a volume can move between nodes or outlive its node: there is one node, and its storage is local.',
  },
  explicitIdentityGenerationRolloutObserved: {
    title: 'TLS identity moved by its own annotation',
    proves: 'The TLS identity was replaced by moving its annotation while the credential stayed, by another authority than the delivery; the new Pod recorded the new CA, and the ingress saw another client certificate.',
    doesNotProve: 'That certificates are renewed by themselves or before they expire: somebody moves the annotation.',
  },
  strongUserPlanApprovalAndDispatchPersisted: {
    title: 'asked by one, approved by another',
    proves: 'The database holds four plans, requests and dispatches bound to each other by digest, each asked by one strongly authenticated user and approved by another, as its ledger, its security audit and its policy agree; whoever asks cannot approve.',
    doesNotProve: 'That an identity provider vouched for these users: they are fixed local principals whose strength the run itself states.',
  },
  managerExecutorDatabaseRolesSeparated: {
    title: 'two database roles, neither more than its grants',
    proves: 'Planning and executing logged in to PostgreSQL as two roles, every other part as its own, all to one server over TLS; and every role was refused a statement beyond its grants by PostgreSQL itself.',
    doesNotProve: 'That every possible statement beyond the grants is refused: one was tried for each role; the exact grants are what the readiness of each role compares.',
  },
  approvalConsumedBeforeTokenRequest: {
    title: 'approval consumed before any token',
    proves: 'For each of the four actions the database had consumed the approval and started the execution before the API server was asked for a token, and the execution ended after it; nobody else had a token of that account made, but for one forbidden attempt.',
    doesNotProve: 'Anything about tokens of other ServiceAccounts, or about clocks of several machines: database and API server read the same one.',
  },
  leastPrivilegeTokenIssuerRbac: {
    title: 'issuers may do one thing',
    proves: 'Whoever asks for the token may create it for one ServiceAccount: one access was reviewed as allowed, eight as denied, a real forbidden request got 403; the audit log knows nothing else of them, only the administrator in their name, and no changed Role.',
    doesNotProve: 'That RBAC of the cluster gives nobody else that right: only these issuers were asked about.',
  },
  tokenRequestSessionDisposed: {
    title: 'no use of a token after its session',
    proves: 'Each token was used within its session alone: the audit log shows no request of the delivery identity outside, and a client that was kept throws without reaching the API server.',
    doesNotProve: 'That the token is invalid from then on: Kubernetes honours it until it expires, at most 600 s after it was made.',
  },
  restrictedCredentialDeliveryRbac: {
    title: 'delivery stays within eight accesses',
    proves: 'The identity that delivers has eight accesses and not twenty others, as reviewed under each token; a forbidden request got 403, its requests lie within the eight. Nobody acted in its name; besides it, administrator and node alone reached what it writes.',
    doesNotProve: 'That the eight accesses are harmless: whoever holds such a token can replace the credential and start the Deployment anew.',
  },
  realCallerDrivenExecutorJob: {
    title: 'a real Job executed generation 3',
    proves: 'A Job labelled `caller-driven`, with one Pod, in the image that was built, executed generation 3 and ended with exit code 0 and the output that the report shows.',
    doesNotProve: 'That something starts such a Job by itself: the caller does, each time.',
  },
  executorJobExactReplayWithoutTokenRequest: {
    title: 'a replay asks for nothing',
    proves: 'The same command in a second Job found the same execution, and while its Pod lived the API server logged no request of the executor or the delivery: no token, no write.',
    doesNotProve: 'That a command that differs in anything is taken for a replay: it would be another action and needs its own approval.',
  },
  executorJobUsesProjectedShortLivedIssuerToken: {
    title: 'a projected token of 600 s',
    proves: "The executor's Pods have one projected token of 600 s and mount no other, and generation 3's token request was made with the executor's ServiceAccount while its Pod lived. Nobody had another made, but for one forbidden attempt, or went into these Pods.",
    doesNotProve: 'That a stolen token is useless within its 600 s.',
  },
  executorJobExactNetworkEgress: {
    title: 'three destinations and no other',
    proves: "The executor's network policy allows the API server, its backend and PostgreSQL alone, was never changed, and is enforced: a destination inside was reached from such a Pod, a listening one outside was not.",
    doesNotProve: 'That each network plugin enforces it: that of this cluster does, and one destination outside was tried. Nor that a Pod is bound from its first moment: a plugin applies a policy shortly after the Pod has its address.',
  },
  productionWorkerImageInKubernetes: {
    title: 'the images that were built are what ran',
    proves: 'All three images were built from the revision and tree of this run, and every container of the production Pods ran exactly these, as the node lists them.',
    doesNotProve: 'That a build elsewhere gives the same bytes, nor who wrote the source.',
  },
  productionWorkerIngressComposition: {
    title: 'Control: own role, TLS 1.3, certificate required',
    proves: 'Cluster Control was ready under its own database role, accepted TLS 1.3 with a client certificate alone, logged the handshake of each request and the request for each state of a session, and refused a handshake without a certificate.',
    doesNotProve: 'That it withstands load or several replicas: there was one, for one Worker.',
  },
  productionSessionReplacement: {
    title: 'three sessions, one after the other',
    proves: 'Three Pods had three sessions whose generations rise by one; each was online only after its predecessor was offline, replaced it by name, and had a heartbeat of its own at the ingress and in the database; Worker, ingress and database agree on it.',
    doesNotProve: 'That work in progress is handed over: no Remote Run was executed.',
  },
  productionStartupReconciliation: {
    title: 'reconciled before registered',
    proves: 'Each production Pod read the journal that it found, whole and handed over in order, with the records of all before it and their sessions closed, before it registered a session.',
    doesNotProve: 'How a damaged journal is dealt with: these were whole. The probe `abandoned-session` shows one that was left open.',
  },
  productionGracefulDrainToOffline: {
    title: 'drained, offline, exit code 0',
    proves: 'Each session went draining and then offline within 30 s of the request to delete its Pod, and the Worker, told to stop, said `stopped` of that session and ended with exit code 0.',
    doesNotProve: 'How long a drain takes with work in hand: there was none.',
  },
  passed: {
    title: 'all of the above',
    proves: 'Every other gate holds.',
    doesNotProve: 'Anything that the limitations of the report exclude.',
  },
};
