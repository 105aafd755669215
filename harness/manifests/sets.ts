/** Each set is a folder of `manifests/overlays/rollout-live`; these are the values that one run gives it. */
export interface ManifestSets {
  'namespaces': Partial<Namespaces>;
  'credential-admin': Partial<Pick<Namespaces, 'workerNamespace' | 'stageNamespace'> & TargetNames & { deliveryServiceAccount: string; issuerUser: string; recoveryUser: string }>;
  'credential-target': Partial<Pick<Namespaces, 'workerNamespace'> & Pick<TargetNames, 'targetSecret'>>;
  'worker-foundation': Partial<Pick<Namespaces, 'workerNamespace'> & { stateClaim: string; workerConfig: string }>;
  'worker-identity': IdentityAuthority & Partial<Pick<Namespaces, 'workerNamespace'> & { identitySecret: string }>;
  'worker-actor': WorkerPod;
  'worker-production': WorkerPod & { workerId?: string; controlNamespace?: string };
  'control': { controlImage: string; serverCertificate: Uint8Array; serverPrivateKey: Uint8Array; controlNamespace?: string } & DatabaseAuthority;
  'control-trust': { clientCaPem: string; clientCrlPem: string; controlNamespace?: string };
  'executor-access': DatabaseAuthority & Egress & Partial<Pick<Namespaces, 'stageNamespace' | 'executorNamespace'> & { executorServiceAccount: string }>;
  'executor-job': { job: string; commandJson: string; adminImage: string; clusterIdentity: string } &
    Partial<Namespaces & TargetNames & { deliveryServiceAccount: string; identitySecret: string; executorServiceAccount: string }>;
  'ingress-probe': { workerImage: string; script: string; attempts: Uint8Array; workerNamespace?: string };
  'egress-probe': { adminImage: string; inside: string; outside: string; pod?: string; executorNamespace?: string };
}

export type ManifestSet = keyof ManifestSets;

interface Namespaces {
  workerNamespace: string;
  stageNamespace: string;
  executorNamespace: string;
}

interface TargetNames {
  targetSecret: string;
  deployment: string;
}

/** PEM, as bytes. */
interface IdentityAuthority {
  identityCa: Uint8Array;
  identityPrivateKey: Uint8Array;
  identityCertificate: Uint8Array;
}

interface DatabaseAuthority {
  pepper: Uint8Array;
  /** postgresql://user:password@host:port/database */
  databaseUrl: Uint8Array;
  databaseCa: Uint8Array;
}

/** Single addresses, as CIDR /32. */
interface Egress {
  apiServerCidr: string;
  apiServerPort?: number;
  apiServerBackendCidr: string;
  apiServerBackendPort?: number;
  postgresCidr: string;
  postgresPort?: number;
}

interface WorkerPod extends Partial<TargetNames> {
  workerImage: string;
  identityGeneration: string;
  workerNamespace?: string;
  identitySecret?: string;
  stateClaim?: string;
  workerConfig?: string;
}
