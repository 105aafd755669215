import type { ClusterClient } from '../../controllers/runtime/cluster-client.ts';
import { SERVICE_ACCOUNTS } from '../../controllers/runtime/kinds.ts';
import type { Pod } from '../../controllers/runtime/objects.ts';
import type { TokenProjection } from './projected-sources.ts';

const DEFAULT_LIFETIME_SECONDS = 3600;
/** The kubelet renews a token when four fifths of its life are over. */
const RENEW_AFTER = 0.8;

interface Token {
  readonly text: string;
  readonly renewAt: number;
}

interface TokenRequestStatus {
  readonly token: string;
  readonly expirationTimestamp: string;
}

/** The tokens of one Pod, each bound to that Pod and kept until it is due for renewal. */
export class ServiceAccountTokens {
  readonly #client: ClusterClient;
  readonly #tokens = new Map<string, Token>();

  constructor(client: ClusterClient) {
    this.#client = client;
  }

  async current(pod: Pod, projection: TokenProjection): Promise<string> {
    const key = `${projection.path}\0${projection.audience ?? ''}`;
    const known = this.#tokens.get(key);
    if (known !== undefined && known.renewAt > Date.now()) return known.text;
    const token = await this.#request(pod, projection);
    this.#tokens.set(key, token);
    return token.text;
  }

  /** Null when there is none to renew. */
  msUntilRenewal(): number | null {
    const times = [...this.#tokens.values()].map((token) => token.renewAt);
    return times.length === 0 ? null : Math.max(0, Math.min(...times) - Date.now());
  }

  async #request(pod: Pod, projection: TokenProjection): Promise<Token> {
    const { namespace, name, uid } = pod.metadata;
    const account = pod.spec.serviceAccountName ?? 'default';
    const expirationSeconds = projection.expirationSeconds ?? DEFAULT_LIFETIME_SECONDS;
    const requestedAt = Date.now();
    const answer = await this.#client.createSubresource(SERVICE_ACCOUNTS, namespace, account, 'token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: {
        audiences: projection.audience === undefined ? [] : [projection.audience],
        expirationSeconds,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    });
    const status = answer['status'] as TokenRequestStatus;
    const lifetimeMs = Date.parse(status.expirationTimestamp) - requestedAt;
    return { text: status.token, renewAt: requestedAt + lifetimeMs * RENEW_AFTER };
  }
}
