/**
 * The observation log: every fact that a report may rest on, one JSON object a line, in the order of recording.
 * Nothing here concludes anything. Bodies are secret-free: Secrets appear without data, tokens as domain-separated digests.
 */

/**
 * Who saw it. All but `harness` are independent of the program that writes the log.
 * - `harness`: what the run says of itself: source revision, steps, the callbacks it was asked through
 * - `api-audit`: the API server's own audit log
 * - `api-watch`: watch events of the API server, as they came
 * - `api-read`: single answers of the API server
 * - `database`: rows, settings and SQLSTATEs read from PostgreSQL by the harness's own connection
 * - `process`: JSON lines printed by product processes: Pod logs and the host executor
 * - `ingress`: JSON lines of Cluster Control: what certificates and requests reached it
 * - `docker`: the Docker Engine about containers and images
 * - `node`: the node's container runtime about images
 * - `probe`: an attempt that was made by the harness and what came back
 */
export const WITNESSES = ['harness', 'api-audit', 'api-watch', 'api-read', 'database', 'process', 'ingress', 'docker', 'node', 'probe'] as const;
export type Witness = (typeof WITNESSES)[number];

export type Component = 'worker' | 'control' | 'admin';
export type Generation = 1 | 2 | 3 | 4;
type Scalar = string | number | boolean | null;

/** A Kubernetes object as the API served it, less `managedFields` and, for Secrets, less `data` (then `dataKeys` names its keys). */
export interface ObservedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly uid: string }[];
    readonly [field: string]: unknown;
  };
  readonly dataKeys?: readonly string[];
  readonly [field: string]: unknown;
}

/** The part of an `audit.k8s.io/v1` event that the gates use; absent fields are null. Times are RFC 3339 with microseconds, as logged. */
export interface AuditEvent {
  readonly auditId: string;
  readonly stage: string;
  readonly verb: string;
  readonly user: string;
  readonly impersonatedUser: string | null;
  readonly apiGroup: string;
  readonly resource: string | null;
  readonly subresource: string | null;
  readonly namespace: string | null;
  readonly name: string | null;
  /** `objectRef.resourceVersion`: on a write, the resourceVersion that the request carried. */
  readonly resourceVersion: string | null;
  readonly uid: string | null;
  readonly code: number | null;
  readonly reason: string | null;
  readonly receivedAt: string;
  readonly completedAt: string;
  /** JTI of a bound token (`user.extra`), from Kubernetes 1.30 or so. */
  readonly credentialId: string | null;
  readonly podName: string | null;
  readonly podUid: string | null;
  /** Of a SelfSubjectAccessReview, logged with its body: what was asked and answered. */
  readonly accessReview: {
    readonly verb: string;
    readonly group: string;
    readonly resource: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
    readonly allowed: boolean;
  } | null;
  /** Of a TokenRequest, logged with its question: there from log version 2 on, and only where the API server wrote it down. */
  readonly tokenRequest?: {
    readonly expirationSeconds: number | null;
    readonly audiences: readonly string[];
    /** Of the Pod that the token is bound to. */
    readonly boundPodUid: string | null;
  };
}

/** The executor's one line on stdout (domain: section 1.6), exactly. */
export interface ExecutorOutput {
  readonly schemaVersion: 1;
  readonly component: 'qinglong3-worker-credential-executor';
  readonly event: 'execution_completed';
  readonly actionRef: string;
  readonly dispatchId: string;
  readonly executionStatus: string;
  readonly deliveryStatus: string;
  readonly tokenRequestUsed: boolean;
}

export const STEP_IDS = [
  'boot',
  'images',
  'objects',
  'generation-1',
  'generation-2',
  'forced-pod-loss',
  'generation-3',
  'identity-b',
  'ingress',
  'session-1',
  'generation-4',
  'product-identity-b',
  'probes',
  'scale-to-zero',
  'collect',
] as const;
export type StepId = (typeof STEP_IDS)[number];

export const PROBE_IDS = [
  'competing-writer-secret',
  'competing-writer-deployment',
  'crash-between-secret-and-deployment',
  'lost-replace-response',
  'self-approval',
  'expired-plan',
  'wrong-digest',
  'revoked-binding',
  'issuer-forbidden-verb',
  'delivery-forbidden-verb',
  'executor-forbidden-verb',
  'database-forbidden-statement',
  'disposed-client',
  'superseded-token',
  'revoked-token',
  'handshake-without-certificate',
  'handshake-revoked-certificate',
  'egress-inside',
  'egress-outside',
  'abandoned-session',
] as const;
export type ProbeId = (typeof PROBE_IDS)[number];

export interface ObservationBodies {
  'run.started': {
    readonly contract: 'v2';
    /** Of this catalogue; a log that does not say so is of the first. From 2 on, the API server wrote down what each TokenRequest asked for. */
    readonly logVersion?: 2;
    readonly runId: string;
    readonly substrate: 'k3s' | 'embedded';
    /** 40 hex of the commit that the images and the harness came from. */
    readonly sourceRevision: string;
    readonly treeClean: boolean;
    /** SHA-256 over the tree that the images were built from. */
    readonly treeDigest: string;
  };
  'run.step': { readonly step: StepId; readonly state: 'started' | 'finished' };
  'run.finished': { readonly observations: number };

  'platform.version': { readonly gitVersion: string; readonly platform: string };
  'platform.node': {
    readonly name: string;
    readonly uid: string;
    readonly architecture: string;
    readonly kubeletVersion: string;
    readonly containerRuntimeVersion: string;
  };
  /** The container (or, on `embedded`, the process) that is the cluster. */
  'platform.cluster': { readonly image: string | null; readonly imageDigest: string | null; readonly imageId: string | null };
  'platform.database-container': { readonly image: string | null; readonly imageDigest: string | null; readonly imageId: string | null; readonly architecture: string };
  'platform.database': { readonly serverVersion: string; readonly serverVersionNum: number; readonly tls: boolean; readonly contractVersion: number; readonly migrationIds: readonly string[] };
  /** Where Pods reach API server and database: what the executor's egress policy is meant to allow, and nothing else. */
  'platform.endpoints': {
    readonly apiServer: { readonly serviceCidr: string; readonly servicePort: number; readonly backendCidr: string; readonly backendPort: number };
    readonly database: { readonly cidr: string; readonly port: number };
  };
  /** PostgreSQL was reached over TLS with its certificate verified, before anything relied on that: by this machine, and by a Pod. */
  'platform.database-reached': {
    readonly from: 'host' | 'pod';
    readonly protocol: string;
    /** SHA-256 of the server's certificate, lower-case hex. */
    readonly certificateFingerprint: string;
  };
  'image.built': {
    readonly component: Component;
    readonly name: string;
    readonly imageId: string;
    readonly sourceRevision: string;
    readonly treeDigest: string;
    readonly baseImage: string | null;
    readonly baseImageId: string | null;
    readonly dockerfileDigest: string | null;
    readonly lockFileDigest: string;
  };
  /** What the node's runtime lists after the import; `component` null for images that the platform itself runs. */
  'image.on-node': { readonly component: Component | null; readonly names: readonly string[]; readonly imageId: string };

  /**
   * An image that the node's runtime made containers from, of Pods and of what the platform itself runs; told at the end of the run.
   * `manifestDigest` is null when the runtime does not list the image any more.
   */
  'image.ran': { readonly component: Component | null; readonly names: readonly string[]; readonly imageId: string; readonly manifestDigest: string | null; readonly containers: number };

  /** A container's main process ended, as the node's runtime saw it, below the kubelet. `containerId` as in a Pod's status. */
  'container.exited': { readonly containerId: string; readonly exitCode: number; readonly exitedAt: string };

  'api.object': { readonly object: ObservedObject };
  'api.watched': { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: ObservedObject };
  'api.audit': AuditEvent;

  /** Rows of one table, named columns only, ordered by key; `moment` is the step after which they were read. */
  'database.rows': { readonly table: string; readonly moment: StepId; readonly rows: readonly Readonly<Record<string, Scalar>>[] };
  'database.current-user': { readonly connection: 'migration' | 'manager' | 'executor' | 'ingress' | 'admin' | 'runtime'; readonly currentUser: string; readonly sessionUser: string };

  /** The host's authorisation callback was asked. One observation a call. */
  'action.authorization-confirmed': { readonly generation: Generation; readonly replay: boolean; readonly purpose: 'before_execution' | 'before_authority'; readonly actionRef: string };
  /** A host execution ended; `output` is what the executor command would print. */
  'action.completed': {
    readonly generation: Generation;
    readonly replay: boolean;
    readonly output: ExecutorOutput;
    readonly deliveryId: string;
    readonly credentialId: string;
    readonly publicationDigest: string;
  };
  /** The product's own account of one TokenRequest session on the host. */
  'action.token-session': {
    readonly generation: Generation;
    readonly startedAt: string;
    readonly endedAt: string;
    readonly tokenLifetimeSeconds: number;
    readonly issuerAllowedChecks: number;
    readonly issuerDeniedChecks: number;
    readonly allowedChecks: number;
    readonly deniedChecks: number;
    readonly clientDisposed: boolean;
  };

  /** The product's own account of one recovery pass and of its TokenRequest session. */
  'action.recovery-session': {
    readonly startedAt: string;
    readonly endedAt: string;
    readonly clientDisposed: boolean;
    readonly deliveries: readonly { readonly deliveryId: string; readonly status: string }[];
  };

  /** One JSON line of a container's standard output, in the order of the log; the actor's, the Worker's, the executor's. */
  'process.line': { readonly podUid: string; readonly podName: string; readonly container: string; readonly index: number; readonly line: Readonly<Record<string, unknown>> };
  /** One JSON line of Cluster Control. */
  'ingress.line': { readonly podUid: string; readonly index: number; readonly line: Readonly<Record<string, unknown>> };

  /** Public facts of an identity that the run made and put into the identity Secret. Digests are SHA-256, hex; of the CA over its PEM file's bytes, of the certificate over its DER. */
  'pki.identity': { readonly generation: string; readonly caDigest: string; readonly clientCertificateFingerprint: string | null; readonly clientCertificateSerial: string | null };

  /** What was attempted and what came back. `attempt` and `outcome` are for people; gates use `facts` and check them against other witnesses. */
  'probe.result': { readonly probe: ProbeId; readonly attempt: string; readonly outcome: string; readonly startedAt: string; readonly endedAt: string; readonly facts: Readonly<Record<string, Scalar | readonly string[]>> };
}

export type ObservationKind = keyof ObservationBodies;

export interface ObservationOf<K extends ObservationKind> {
  /** From 1, without gaps. */
  readonly seq: number;
  /** Wall clock of the recording, ISO 8601 with milliseconds. */
  readonly at: string;
  /** Monotonic milliseconds since the log was opened. */
  readonly offsetMs: number;
  readonly witness: Witness;
  readonly kind: K;
  /** What it is about, e.g. `pods/ql3-worker-rollout-live/ql3-worker-live-abc`. */
  readonly subject: string;
  readonly body: ObservationBodies[K];
}
export type Observation = { [K in ObservationKind]: ObservationOf<K> }[ObservationKind];

/** Which witness may speak of which kind; a log in which another one does is not accepted. */
export const WITNESS_OF: Readonly<Record<ObservationKind, readonly Witness[]>> = {
  'run.started': ['harness'],
  'run.step': ['harness'],
  'run.finished': ['harness'],
  'platform.version': ['api-read'],
  'platform.node': ['api-read'],
  'platform.cluster': ['docker', 'harness'],
  'platform.database-container': ['docker', 'harness'],
  'platform.database': ['database'],
  'platform.endpoints': ['harness'],
  'platform.database-reached': ['harness', 'probe'],
  'image.built': ['docker', 'harness'],
  'image.on-node': ['node'],
  'image.ran': ['node'],
  'container.exited': ['node'],
  'api.object': ['api-read'],
  'api.watched': ['api-watch'],
  'api.audit': ['api-audit'],
  'database.rows': ['database'],
  'database.current-user': ['database'],
  'action.authorization-confirmed': ['harness'],
  'action.completed': ['process'],
  'action.token-session': ['process'],
  'action.recovery-session': ['process'],
  'process.line': ['process'],
  'ingress.line': ['ingress'],
  'pki.identity': ['harness'],
  'probe.result': ['probe'],
};
