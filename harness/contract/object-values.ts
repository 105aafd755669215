import type { Component } from '../../evidence/observation.ts';
import type { ClusterAccess, DatabaseAccess, RunnableImage } from '../substrate/substrate.ts';

/** What one run puts into its objects, beside the names that the contract prescribes. */
export interface ObjectValues {
  readonly images: Readonly<Record<Component, Pick<RunnableImage, 'name'>>>;
  readonly clusterIdentity: string;
  readonly pepper: string;
  readonly access: Pick<ClusterAccess, 'apiServer'>;
  readonly database: {
    readonly access: Pick<DatabaseAccess, 'caPem' | 'fromPods'>;
    urlForPods(role: 'ql3_worker_credential_executor' | 'ql3_worker_ingress'): string;
  };
}
