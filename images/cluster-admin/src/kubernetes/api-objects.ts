/**
 * The parts of Kubernetes objects that are looked at. Everything else is kept
 * as it was read, so that a replace never drops a field that a newer API server
 * knows and this program does not.
 */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly unknown[];
  readonly deletionTimestamp?: string;
  readonly [field: string]: unknown;
}

export interface Secret {
  readonly metadata: ObjectMeta;
  readonly type?: string;
  readonly immutable?: boolean;
  /** Values in base64. */
  readonly data?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface Deployment {
  readonly apiVersion?: string;
  readonly metadata: ObjectMeta;
  readonly spec: DeploymentSpec;
  readonly [field: string]: unknown;
}

export interface DeploymentSpec {
  readonly replicas?: number;
  readonly strategy?: { readonly type?: string; readonly [field: string]: unknown };
  readonly template: PodTemplate;
  readonly [field: string]: unknown;
}

export interface PodTemplate {
  readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'> & { readonly [field: string]: unknown };
  readonly spec?: { readonly volumes?: readonly Volume[]; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export interface Volume {
  readonly name?: string;
  readonly projected?: { readonly sources?: readonly ProjectedSource[] };
  readonly [field: string]: unknown;
}

export interface ProjectedSource {
  readonly secret?: { readonly name?: string; readonly items?: readonly { readonly key?: string }[] };
  readonly [field: string]: unknown;
}
