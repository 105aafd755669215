import type { Component } from '../../evidence/observation.ts';

export interface ComponentDefinition {
  readonly component: Component;
  /** The image's repository; the tag is the run's. */
  readonly repository: string;
  readonly title: string;
  /** Below the root of the checkout: holds the Dockerfile and `src/`. */
  readonly folder: string;
  /** `src/<entry>.ts` becomes `/app/<entry>.mjs`. */
  readonly entries: readonly string[];
  /** Folders that are copied as they are: from the checkout's root to below `/app/`. */
  readonly folders: readonly { readonly from: string; readonly to: string }[];
}

/** Both programs compare the database with the migrations that they were built with. */
const MIGRATIONS = { from: 'images/postgres/migrations', to: 'migrations' } as const;

export const COMPONENTS: Readonly<Record<Component, ComponentDefinition>> = {
  worker: {
    component: 'worker',
    repository: 'ql3-worker',
    title: 'Qinglong 3 Worker',
    folder: 'images/worker',
    entries: ['start', 'worker', 'init', 'actor'],
    folders: [],
  },
  control: {
    component: 'control',
    repository: 'ql3-cluster-control',
    title: 'Qinglong 3 Cluster Control',
    folder: 'images/cluster-control',
    entries: ['start', 'control'],
    folders: [MIGRATIONS],
  },
  admin: {
    component: 'admin',
    repository: 'ql3-cluster-admin',
    title: 'Qinglong 3 Cluster Administration',
    folder: 'images/cluster-admin',
    entries: ['start', 'executor', 'recovery', 'manage', 'database', 'target'],
    folders: [MIGRATIONS],
  },
};
