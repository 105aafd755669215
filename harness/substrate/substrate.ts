import type { Socket } from 'node:net';
import type { Component, ObservationBodies, Witness } from '../../evidence/observation.ts';

export type SubstrateKind = 'k3s' | 'embedded';

type PlatformFactKind = 'platform.cluster' | 'platform.database-container' | 'platform.database-reached' | 'image.built' | 'image.on-node' | 'image.ran';

/** A fact about the platform, ready for the observation log. */
export type PlatformFact = {
  [K in PlatformFactKind]: {
    readonly kind: K;
    readonly witness: Witness;
    readonly subject: string;
    readonly body: ObservationBodies[K];
  };
}[PlatformFactKind];

/** Undoes one thing that was made. Run last-in first-out; a failing one does not stop the others. */
export interface Releasers {
  add(name: string, release: () => Promise<void>): void;
}

/** Where the time went. `measure` names must be stable: they are compared between runs. */
export interface Spans {
  measure<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export interface SourceTree {
  /** Root of the checkout. */
  readonly directory: string;
  /** 40 hex. */
  readonly revision: string;
  readonly clean: boolean;
}

export interface StartContext {
  /** Lower-case UUID v4; goes into every label. */
  readonly runId: string;
  /** Private (0700) folder of the run; everything on disk goes below it. */
  readonly directory: string;
  /** To be inherited by a process that uses the folder: when the last holder is killed, the folder is removed. */
  readonly lifeline: Socket;
  readonly source: SourceTree;
  readonly signal: AbortSignal;
  readonly releasers: Releasers;
  readonly spans: Spans;
  /** Progress for people, one short line. */
  say(line: string): void;
}

export interface ClusterAccess {
  /** Path of a kubeconfig (0600) of a cluster administrator; https, CA inside. */
  readonly kubeconfigPath: string;
  /** domain: cluster identity, e.g. `k3s/<runId>`. */
  readonly clusterIdentity: string;
  /** How Pods reach the API server, for the executor's egress policy. */
  readonly apiServer: { readonly serviceCidr: string; readonly servicePort: number; readonly backendCidr: string; readonly backendPort: number };
}

export interface DatabaseAccess {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly superuser: { readonly user: string; readonly password: string };
  /** CA for `verify-full`; both substrates serve TLS, to the host and to Pods. */
  readonly caPem: string;
  /** The same server as Pods reach it; `host` is a name or address that the server's certificate carries. */
  readonly fromPods: { readonly host: string; readonly port: number; readonly cidr: string };
}

export interface RunnableImage {
  readonly component: Component;
  /** For `image:` in a Pod, with `imagePullPolicy: Never`. */
  readonly name: string;
  /** `sha256:…` as the kubelet reports it in `status.containerStatuses[].imageID` (possibly with a prefix). */
  readonly imageId: string;
}

/** How a container's main process ended, as the node's runtime saw it. */
export interface ContainerExit {
  /** As in `status.containerStatuses[].containerID`. */
  readonly containerId: string;
  readonly exitCode: number;
  /** ISO 8601. */
  readonly exitedAt: string;
}

/** A log of the platform itself: free of secrets, and only its end where it is long. */
export interface PlatformLog {
  /** File name, e.g. `k3s.log`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What a substrate hands out once it was asked to start. All come side by side; each rejects with a coded error. */
export interface StartedSubstrate {
  readonly kind: SubstrateKind;
  /** Whether a NetworkPolicy takes effect, so that what it refuses can be tried. */
  readonly enforcesNetworkPolicy: boolean;
  /** As soon as the API server takes objects; its node and its controllers may come later. */
  readonly cluster: Promise<ClusterAccess>;
  /** A node is Ready and the controllers work: what was created becomes Pods. */
  readonly ready: Promise<void>;
  readonly database: Promise<DatabaseAccess>;
  readonly images: Promise<Readonly<Record<Component, RunnableImage>>>;
  /** Facts about the platform that only the substrate can see (Docker, the node's runtime); call when cluster, database and images have come. */
  platformFacts(): Promise<readonly PlatformFact[]>;
  /** Has a Pod reach the PostgreSQL that this machine has reached, and tells what each saw of it; nothing where Pods are processes of this machine. Call once, when the cluster is ready. */
  reachFacts(): Promise<readonly PlatformFact[]>;
  /** What is known of the platform only at the end: which images have run on its node. */
  closingFacts(): Promise<readonly PlatformFact[]>;
  /** The API server's audit log so far; the more of it was read before, the sooner it comes. Raw `audit.k8s.io/v1` JSON lines. */
  readAuditLog(): Promise<string>;
  /** The logs of the control plane and of the database until now, one after another; none where the platform keeps none. */
  platformLogs(): AsyncIterable<PlatformLog>;
  /** Every container that has ended so far, by the runtime below the kubelet; empty where the kubelet's word is all there is. */
  containerExits(): Promise<readonly ContainerExit[]>;
  /**
   * SIGKILL to a container's main process from outside, as the kernel does that runs out of memory; nothing in the Pod is asked.
   * `containerId` as in `status.containerStatuses[].containerID`.
   */
  killContainer(containerId: string): Promise<void>;
  /** Whatever helps to understand a failure and only the substrate has (container logs); files go below `directory`. */
  collectFailure(directory: string): Promise<void>;
  /** Rejects when something that must live for the whole run has ended (container, supervisor, database); never resolves. */
  readonly died: Promise<never>;
}

export interface Substrate {
  readonly kind: SubstrateKind;
  /** Checks what can be checked in a moment (exit code 3 when it cannot run here), then starts everything; registers its own releasers as it goes. */
  start(context: StartContext): Promise<StartedSubstrate>;
}
