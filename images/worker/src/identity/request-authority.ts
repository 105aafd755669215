import { createHash } from 'node:crypto';

import { readCredentialToken } from './credential-token-file.ts';
import type { IdentitySource } from './identity-source.ts';
import { readTrustAnchor } from './trust-anchor.ts';

/** What one request is made with. Nothing of it is kept after the request but the open connection. */
export interface RequestAuthority {
  readonly certificatePem: Buffer;
  readonly privateKeyPem: Buffer;
  readonly trustAnchorPem: Buffer;
  readonly token: Buffer;
  /** Changes when a connection made before must not be used any more. */
  readonly connectionKey: string;
}

export interface AuthorityFiles {
  readonly trustAnchorFile: string;
  readonly credentialTokenFile: string;
}

/** Reads everything anew, for each request: a replaced file counts from the next request on, without a restart. */
export async function readRequestAuthority(identity: IdentitySource, files: AuthorityFiles): Promise<RequestAuthority> {
  const [{ pair }, trustAnchorPem] = await Promise.all([identity.next(), readTrustAnchor(files.trustAnchorFile)]);
  const token = await readCredentialToken(files.credentialTokenFile);
  const anchor = createHash('sha256').update(trustAnchorPem).digest('hex');
  return {
    certificatePem: pair.certificatePem,
    privateKeyPem: pair.privateKeyPem,
    trustAnchorPem,
    token,
    connectionKey: `${pair.fingerprint} ${anchor}`,
  };
}
