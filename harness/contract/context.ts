import type { Component } from '../../evidence/observation.ts';
import type { ClusterClients } from '../cluster/clients.ts';
import type { ObjectWatch } from '../cluster/object-watch.ts';
import type { PodLines } from '../cluster/pod-lines.ts';
import type { RunDatabase } from '../database/run-database.ts';
import type { Recorder } from '../observation/recorder.ts';
import type { ClusterAccess, Releasers, RunnableImage, SourceTree, Spans } from '../substrate/substrate.ts';
import type { Lulls } from './lulls.ts';

/** What every step of the contract works with, once the platform is there. */
export interface ContractContext {
  readonly runId: string;
  readonly source: SourceTree;
  /** Private folder of the run. */
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly releasers: Releasers;
  readonly spans: Spans;
  readonly recorder: Recorder;
  say(line: string): void;

  readonly access: ClusterAccess;
  /** The domain's cluster identity, which every target digest binds. */
  readonly clusterIdentity: string;
  readonly cluster: ClusterClients;
  readonly database: RunDatabase;
  readonly images: Readonly<Record<Component, RunnableImage>>;
  /** 43 characters of base64url; made for this run, never printed. */
  readonly pepper: string;
  readonly watches: ContractWatches;
  readonly lines: PodLines;
  readonly lulls: Lulls;
}

export interface ContractWatches {
  readonly workerPods: ObjectWatch;
  readonly workerDeployments: ObjectWatch;
  readonly workerSecrets: ObjectWatch;
  readonly workerClaims: ObjectWatch;
  readonly stageSecrets: ObjectWatch;
  readonly executorPods: ObjectWatch;
  readonly executorJobs: ObjectWatch;
  readonly probePods: ObjectWatch;
  readonly probeDeployments: ObjectWatch;
  readonly probeSecrets: ObjectWatch;
  readonly probeStageSecrets: ObjectWatch;
}
