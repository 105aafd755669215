import type { StepId } from './observation.ts';

/** The parts that a run has. */
export type Phase = 'start' | 'A' | 'B' | 'end';

export const PHASE_WORDS: Readonly<Record<Phase, string>> = {
  start: 'Start: cluster, database, images, objects',
  A: 'Phase A: a bounded actor under the Worker’s Deployment',
  B: 'Phase B: the production Worker',
  end: 'End: the witnesses are heard',
};

/** Each step of contract v2, its part and what happens in it. */
export const STEP_WORDS: Readonly<Record<StepId, { readonly phase: Phase; readonly title: string; readonly sentence: string }>> = {
  boot: { phase: 'start', title: 'boot', sentence: 'cluster, database and images come up side by side' },
  images: { phase: 'start', title: 'images', sentence: 'the images are loaded, and what the run stands on is recorded' },
  objects: { phase: 'start', title: 'objects', sentence: 'namespaces, roles, Secrets, the claim and the Deployment are created' },
  'generation-1': { phase: 'A', title: 'credential 1', sentence: 'generation 1: the first credential is planned, approved and issued on the host, then replayed' },
  'generation-2': { phase: 'A', title: 'credential 2', sentence: 'generation 2: the credential is rotated on the host, then replayed' },
  'forced-pod-loss': { phase: 'A', title: 'Pod lost', sentence: 'the Pod is deleted by force, another one follows' },
  'generation-3': { phase: 'A', title: 'credential 3', sentence: 'generation 3: the credential is rotated by a Job in the cluster, then replayed by a second one' },
  'identity-b': { phase: 'A', title: 'actor identity b', sentence: 'the actor’s TLS identity is replaced by one of another CA, the credential stays' },
  ingress: { phase: 'B', title: 'Control', sentence: 'Cluster Control starts' },
  'session-1': { phase: 'B', title: 'session 1', sentence: 'the production Worker starts over what phase A has left and opens its first session' },
  'generation-4': { phase: 'B', title: 'credential 4', sentence: 'generation 4: the credential is rotated under the production Worker; session 2' },
  'product-identity-b': { phase: 'B', title: 'product identity b', sentence: 'the production Worker’s client certificate is replaced, the credential stays; session 3' },
  'scale-to-zero': { phase: 'B', title: 'to zero', sentence: 'the Deployment is scaled to zero; the last session drains' },
  probes: { phase: 'B', title: 'probes', sentence: 'what was replaced is presented again, and must be refused' },
  collect: { phase: 'end', title: 'collect', sentence: 'the witnesses are heard' },
};
