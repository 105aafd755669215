import { PINNED_BASE_IMAGE, PINNED_IMAGES } from '../pins.ts';
import { DATABASE_ROLES } from '../identities.ts';
import type { Component } from '../observation.ts';
import { hex, type Story } from './story.ts';

export type Platform = 'release' | 'other-images' | 'embedded';
export interface Circumstances {
  readonly platform: Platform;
  readonly treeClean: boolean;
}

export const SOURCE_REVISION: string = hex('revision').slice(0, 40);
const TREE_DIGEST = hex('tree');
export const imageIdOf = (component: Component): string => `sha256:${hex(`image ${component}`)}`;
export const imageNameOf = (component: Component): string => `ql3-${component}:run-00000000`;
export const ENDPOINTS = {
  apiServer: { serviceCidr: '10.43.0.1/32', servicePort: 443, backendCidr: '172.20.0.2/32', backendPort: 6443 },
  database: { cidr: '172.20.0.3/32', port: 5432 },
} as const;

const MIGRATIONS = ['schema', 'row-rules', 'projects', 'security-audit', 'worker-credentials', 'worker-sessions', 'worker-credential-deliveries', 'management-plans', 'approvals', 'approved-actions'].map((name, index) => `${String(index + 1).padStart(4, '0')}-${name}`);

export function tellPlatform(story: Story, { platform, treeClean }: Circumstances): void {
  const embedded = platform === 'embedded';
  const witness = embedded ? 'harness' : 'docker';
  const digest = (pinned: string): string => (platform === 'release' ? pinned : `sha256:${hex(`other ${pinned}`)}`);
  const gitVersion = platform === 'release' ? 'v1.34.3+k3s1' : 'v1.34.3';
  story.tell('run.started', { contract: 'v2', logVersion: 2, runId: story.uuid(), substrate: embedded ? 'embedded' : 'k3s', sourceRevision: SOURCE_REVISION, treeClean, treeDigest: TREE_DIGEST });
  story.tell('platform.version', { gitVersion, platform: 'linux/amd64' });
  story.tell('platform.node', { name: 'ql3-node', uid: story.uuid(), architecture: 'amd64', kubeletVersion: gitVersion, containerRuntimeVersion: 'containerd://2.1.5-k3s1' });
  const none = { image: null, imageDigest: null, imageId: null };
  story.tell('platform.cluster', embedded ? none : { image: PINNED_IMAGES.k3s.name, imageDigest: digest(PINNED_IMAGES.k3s.digest), imageId: `sha256:${hex('k3s id')}` }, witness);
  story.tell('platform.database-container', { ...(embedded ? none : { image: PINNED_IMAGES.postgres.name, imageDigest: digest(PINNED_IMAGES.postgres.digest), imageId: `sha256:${hex('postgres id')}` }), architecture: 'amd64' }, witness);
  story.tell('platform.database', { serverVersion: '18.4', serverVersionNum: 180_004, tls: true, contractVersion: 10, migrationIds: MIGRATIONS });
  if (!embedded) for (const from of ['host', 'pod'] as const) story.tell('platform.database-reached', { from, protocol: 'TLSv1.3', certificateFingerprint: hex('database certificate') });
  story.tell('platform.endpoints', ENDPOINTS);
  for (const component of ['worker', 'control', 'admin'] as const) {
    story.tell('image.built', {
      component,
      name: imageNameOf(component),
      imageId: imageIdOf(component),
      sourceRevision: SOURCE_REVISION,
      treeDigest: TREE_DIGEST,
      baseImage: embedded ? null : `${PINNED_BASE_IMAGE.name}@${PINNED_BASE_IMAGE.digest ?? `sha256:${'6'.repeat(64)}`}`,
      baseImageId: null,
      dockerfileDigest: embedded ? null : hex('Dockerfile'),
      lockFileDigest: hex('lock'),
    }, witness);
    if (!embedded) story.tell('image.ran', { component, names: [`docker.io/library/${imageNameOf(component)}`], imageId: imageIdOf(component), manifestDigest: `sha256:${hex(`manifest ${component}`)}`, containers: 30 });
    story.tell('image.on-node', { component, names: [`docker.io/library/${imageNameOf(component)}`], imageId: imageIdOf(component) });
  }
  for (const [connection, role] of Object.entries(DATABASE_ROLES)) {
    story.tell('database.current-user', { connection: connection as keyof typeof DATABASE_ROLES, currentUser: role, sessionUser: role });
  }
  for (const user of ['system:admin', 'system:node:ql3-node', 'system:serviceaccount:kube-system:deployment-controller']) {
    story.audit({ verb: 'get', user, resource: 'namespaces', namespace: 'ql3-worker-rollout-live', name: 'ql3-worker-rollout-live' });
  }
}
