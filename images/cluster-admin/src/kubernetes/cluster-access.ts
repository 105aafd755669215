/** Where an API server is and as whom to talk to it. Holds secrets: never print it. */
export interface ClusterAccess {
  /** https origin, possibly with a path prefix, without a trailing slash. */
  readonly server: string;
  readonly caPem: string;
  /** Name to verify the server's certificate against, when it is not the URL's host. */
  readonly tlsServerName: string | null;
  readonly identity: ClusterIdentity;
  /** Sent as Impersonate-User. */
  readonly impersonateUser: string | null;
}

export type ClusterIdentity =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'client_certificate'; readonly certificatePem: string; readonly privateKeyPem: string };

/** The same server, as somebody else. */
export function withBearerToken(access: ClusterAccess, token: string): ClusterAccess {
  return { ...access, identity: { kind: 'bearer', token }, impersonateUser: null };
}

export type ClusterAccessFault =
  | 'no_current_context'
  | 'server_not_https'
  | 'server_url_has_credentials'
  | 'tls_verification_skipped'
  | 'certificate_authority_missing'
  | 'proxy_not_supported'
  | 'identity_not_supported'
  | 'identity_missing'
  | 'file_unreadable';

export class ClusterAccessError extends Error {
  readonly code = 'QL3_KUBERNETES_CLUSTER_ACCESS_INVALID';
  readonly fault: ClusterAccessFault;

  constructor(fault: ClusterAccessFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ClusterAccessError';
    this.fault = fault;
  }
}

/** Refuses every server address over which a credential could leak or the server could be somebody else. */
export function assertServerUrl(server: string): string {
  let url: URL;
  try {
    url = new URL(server);
  } catch {
    throw new ClusterAccessError('server_not_https', 'cluster server is not a URL: expected https://HOST[:PORT]');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ClusterAccessError(
      'server_url_has_credentials',
      'cluster server URL must not carry a user, password, query or fragment: put the identity into the user entry',
    );
  }
  if (url.protocol !== 'https:') {
    throw new ClusterAccessError('server_not_https', `cluster server must be https, got ${url.protocol}//`);
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** A bundle that Node would load as empty verifies nothing, so it counts as missing. */
export function assertCaPem(pem: string): string {
  if (!/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/.test(pem)) {
    throw new ClusterAccessError(
      'certificate_authority_missing',
      'cluster certificate authority must be at least one PEM certificate',
    );
  }
  return pem;
}
