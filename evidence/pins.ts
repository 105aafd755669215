/** What release evidence must have run on. The one place to change when a pin is bumped. */
export const PINNED_IMAGES = {
  k3s: {
    name: 'rancher/k3s:v1.34.3-k3s1',
    digest: 'sha256:71abd3a56f57884c62732e0e0d87606052cb5f8555b7db7e8e33c04570b8175c',
  },
  postgres: {
    name: 'postgres:18.4-bookworm',
    digest: 'sha256:1961f96e6029a02c3812d7cb329a3b03a3ac2bb067058dec17b0f5596aca9296',
  },
} as const;

/**
 * What the three images are built from. Its digest is not recorded yet (`docker buildx imagetools inspect` prints it, and it
 * belongs here): until then a base of this name counts whose digest the container engine has told, and the log names it.
 */
export const PINNED_BASE_IMAGE: { readonly name: string; readonly digest: string | null } = {
  name: 'node:24.18.0-bookworm-slim',
  digest: null,
};

/** Distribution, server version and server major that belong to the pinned images. */
export const PINNED_KUBERNETES_VERSION = 'v1.34.3+k3s1';
export const PINNED_POSTGRES_MAJOR = 18;

export const RELEASE_FIXTURE = 'qinglong/worker-kubernetes-rollout-live-contract@v2';
export const REHEARSAL_FIXTURE = 'qinglong/worker-kubernetes-rollout-rehearsal@v2';
