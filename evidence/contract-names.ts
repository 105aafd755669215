/** Names of the objects of one run of contract v2. They are part of the interface: auditors look for exactly these. */
export const CONTRACT_NAMES = {
  workerNamespace: 'ql3-worker-rollout-live',
  stageNamespace: 'ql3-worker-rollout-stage-live',
  executorNamespace: 'ql3-worker-executor-live',
  workerId: 'ql3-worker-live',
  deployment: 'ql3-worker-live',
  targetSecret: 'ql3-worker-live-credential',
  targetDataKey: 'credential-token',
  identitySecret: 'ql3-worker-live-identity',
  claim: 'ql3-worker-live-state',
  deliveryServiceAccount: 'ql3-worker-credential-admin',
  executorServiceAccount: 'ql3-worker-credential-executor-live',
  issuerUser: 'ql3-worker-credential-operator-live',
  /** Who asks for the delivery's token in a recovery pass: another user, so that its sessions are not mistaken for a delivery's. */
  recoveryUser: 'ql3-worker-credential-recovery-live',
  ingressService: 'ql3-worker-ingress',
  controlDeployment: 'ql3-cluster-control',
  executorJob: 'ql3-worker-credential-executor-live',
  executorReplayJob: 'ql3-worker-credential-executor-replay-live',
  projectId: 'cluster-authority',
  requester: 'operator-a',
  decider: 'reviewer-b',
  credentialIds: ['live_generation_1', 'live_generation_2', 'live_generation_3', 'live_generation_4'],
  deploymentGenerations: [
    'generation-live_generation_1',
    'generation-live_generation_2',
    'generation-live_generation_3',
    'generation-live_generation_4',
  ],
} as const;

/** The probes provoke failures, so they work on objects of their own: nothing they leave can be counted as the contract's. */
export const PROBE_NAMES = {
  workerNamespace: 'ql3-worker-rollout-probe-live',
  stageNamespace: 'ql3-worker-rollout-probe-stage-live',
  executorNamespace: 'ql3-worker-executor-probe-live',
  workerId: 'ql3-worker-probe',
  deployment: 'ql3-worker-probe',
  targetSecret: 'ql3-worker-probe-credential',
  targetDataKey: 'credential-token',
  identitySecret: 'ql3-worker-probe-identity',
  claim: 'ql3-worker-probe-state',
  deliveryServiceAccount: 'ql3-worker-credential-admin',
  issuerUser: 'ql3-worker-credential-operator-probe',
  recoveryUser: 'ql3-worker-credential-recovery-probe',
  projectId: 'cluster-authority-probe',
  /** A user whose binding is revoked between two steps of an action. */
  revokedUser: 'operator-revoked',
} as const;
