import type { UserInfo } from '../authentication/user-info.ts';
import type { StatusReason } from '../status-error.ts';
import type { AuditLevel } from './read-audit-policy.ts';

export interface AuditObjectReference {
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

export interface AuditResponseStatus {
  readonly metadata: Record<string, never>;
  readonly status?: string;
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: object;
  readonly code: number;
}

/** One line of the audit log: audit.k8s.io/v1 Event. */
export interface AuditEvent {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: Exclude<AuditLevel, 'None'>;
  readonly auditID: string;
  readonly stage: 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly requestURI: string;
  readonly verb: string;
  readonly user: Partial<UserInfo>;
  readonly impersonatedUser?: UserInfo;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: AuditObjectReference;
  readonly responseStatus?: AuditResponseStatus;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}
