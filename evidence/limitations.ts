/** What no run of contract v2 shows, in the words that the auditor requires. */
export const RELEASE_LIMITATIONS = [
  'one K3s node with local-path storage: nothing is shown about CSI volumes moving between nodes',
  "Worker sessions only, no Remote Run is executed: runs are proven by the Worker's own PostgreSQL gate",
  'Pods are force-deleted: a physical node that loses power is not shown',
  'the approving users are fixed local strong principals: no external identity provider took part',
] as const;

/** A reason why a run is a rehearsal, and what that takes away. */
export const EMBEDDED_LIMITATIONS = [
  'rehearsal on the embedded cluster: a stand-in for the Kubernetes API, its controllers and its kubelet, not Kubernetes; this is no release evidence',
  'containers are host processes: no namespaces, no cgroups or resource limits, no seccomp, no read-only root and no separate users',
  'network policies are stored and not enforced: the egress of the executor Job is not shown',
  'there are no custom resources and no admission webhooks, and volumes are folders of one machine',
  'images are bundles of the source run by one Node.js: no image was built, imported or pulled by digest',
  'PostgreSQL ran from an npm package as a local process, not from the pinned image',
] as const;
export const OTHER_IMAGES_LIMITATION = 'rehearsal on other images than the pinned K3s, PostgreSQL and Node.js: this is no release evidence';
export const DIRTY_TREE_LIMITATION = 'rehearsal from a source tree with changes that no commit holds: the source revision does not describe what ran';

export interface RehearsalCircumstances {
  readonly embedded: boolean;
  readonly treeClean: boolean;
}

/** The limitations of a rehearsal: the four of every run, then its own, in fixed order. */
export function rehearsalLimitations(circumstances: RehearsalCircumstances): readonly string[] {
  return [
    ...RELEASE_LIMITATIONS,
    ...(circumstances.embedded ? EMBEDDED_LIMITATIONS : [OTHER_IMAGES_LIMITATION]),
    ...(circumstances.treeClean ? [] : [DIRTY_TREE_LIMITATION]),
  ];
}
