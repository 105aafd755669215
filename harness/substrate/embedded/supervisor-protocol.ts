import type { NodeImage } from './node-agent/image-table.ts';
import type { NodeTiming } from './node-agent/node-timing.ts';

export interface PostgresOptions {
  /** With a certificate the server accepts TLS connections alone. */
  readonly tls?: { readonly certPem: string; readonly keyPem: string };
}

/** What the supervisor is started with. It travels as JSON over the IPC channel. */
export interface SupervisorOptions {
  /** Private folder of the cluster; made when it is missing, removed at the end. */
  readonly directory: string;
  /** Whose cluster it is; when not given, nobody's but its own. */
  readonly runId?: string;
  readonly images: Readonly<Record<string, NodeImage>>;
  /** Null starts no database. */
  readonly postgres: PostgresOptions | null;
  readonly nodeName?: string;
  /** What /version says as gitVersion. */
  readonly advertisedVersion?: string;
  readonly timing?: Partial<NodeTiming>;
  readonly jobBackOff?: { readonly initialMs: number; readonly maxMs: number };
}

export interface PostgresFacts {
  readonly host: string;
  readonly port: number;
  readonly superuser: { readonly user: string; readonly password: string };
  readonly tls: boolean;
  readonly logFile: string;
}

/** What runs once the supervisor is ready. */
export interface SupervisorFacts {
  /** 0600, system:admin in system:masters. */
  readonly kubeconfigPath: string;
  readonly caPem: string;
  readonly apiUrl: string;
  readonly apiPort: number;
  readonly auditLogPath: string;
  readonly nodeName: string;
  readonly nodeAddress: string;
  readonly postgres: PostgresFacts | null;
  readonly versions: { readonly kubernetes: string; readonly node: string };
  /** Milliseconds that each part took to start; they start side by side. */
  readonly startedInMs: Readonly<Record<string, number>>;
}

export type Order =
  | { readonly type: 'register-images'; readonly images: Readonly<Record<string, NodeImage>> }
  | { readonly type: 'kill-container'; readonly containerId: string }
  | { readonly type: 'interrupt-postgres'; readonly how: 'crash' | 'shutdown' }
  | { readonly type: 'resume-postgres' };

export type ToSupervisor =
  | { readonly type: 'start'; readonly options: SupervisorOptions }
  | { readonly type: 'order'; readonly id: number; readonly order: Order }
  | { readonly type: 'stop' };

export type FromSupervisor =
  | { readonly type: 'ready'; readonly facts: SupervisorFacts }
  | { readonly type: 'failed'; readonly message: string }
  /** PostgreSQL has ended, and nobody had ordered it. */
  | { readonly type: 'database-lost'; readonly code: number | null }
  | { readonly type: 'answer'; readonly id: number; readonly error: string | null };
