import { timingSafeEqual } from 'node:crypto';
import { secretDigest } from '../../../core/credential-token.ts';
import type { WorkerCredential } from '../../../postgres/repositories/worker-credential-lookup.ts';
import { IngressRefusal } from '../ingress/refusal.ts';
import { parseBearer } from './bearer.ts';

export interface AuthenticatedWorker {
  readonly workerId: string;
  readonly credentialId: string;
  readonly credentialVersion: number;
}

export interface CredentialLookup {
  findLatest(credentialId: string): Promise<WorkerCredential | null>;
}

/** Stands in for the digest of a credential that does not exist, so that its absence takes the same time. */
const ABSENT_DIGEST = Buffer.alloc(32);

/**
 * Who the bearer is: the latest version of a credential whose digest matches, that is active now by the database's
 * clock, and that belongs to the Worker of the path. Every refusal is the same 401; only its reason differs.
 */
export async function authenticate(
  headers: readonly string[] | undefined,
  workerId: string,
  pepper: Buffer,
  credentials: CredentialLookup,
): Promise<AuthenticatedWorker> {
  const token = parseBearer(headers);
  if (token === null) throw unauthenticated('bearer_missing_or_malformed');
  const presented = Buffer.from(secretDigest(pepper, token.credentialId, token.secret), 'hex');
  token.secret.fill(0);
  const credential = await credentials.findLatest(token.credentialId);
  const stored = credential === null ? ABSENT_DIGEST : Buffer.from(credential.secretDigest, 'hex');
  const matches = timingSafeEqual(presented, stored);
  if (credential === null) throw unauthenticated('credential_unknown');
  if (!matches) throw unauthenticated('secret_mismatch');
  const reason = unusableBecause(credential, workerId);
  if (reason !== null) throw unauthenticated(reason);
  return { workerId, credentialId: token.credentialId, credentialVersion: credential.version };
}

function unusableBecause(credential: WorkerCredential, workerId: string): string | null {
  if (credential.state !== 'active') return 'credential_not_active';
  if (credential.databaseNowMs < credential.notBeforeAtMs) return 'credential_not_yet_valid';
  if (credential.databaseNowMs >= credential.expiresAtMs) return 'credential_expired';
  if (credential.workerId !== workerId) return 'credential_of_another_worker';
  return null;
}

function unauthenticated(reason: string): IngressRefusal {
  return new IngressRefusal('worker_authentication_required', reason);
}
