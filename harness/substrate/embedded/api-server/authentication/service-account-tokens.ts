import { randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, jwtVerify, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import type { ObjectStore } from '../storage/object-store.ts';
import { serviceAccountGroups, serviceAccountUsername, type UserInfo } from './user-info.ts';

export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** The API server's own audiences: what a token is for when its request named none. K3s adds its own name. */
export const API_AUDIENCES: readonly string[] = [ISSUER, 'k3s'];

const ALGORITHM = 'ES256';
/** A deleted account or Pod keeps its tokens for as long as clocks may differ (pkg/serviceaccount). */
const DELETION_LEEWAY_MS = 60_000;

export interface BoundObject {
  readonly name: string;
  readonly uid: string;
}

export interface TokenSubject {
  readonly namespace: string;
  readonly serviceAccount: BoundObject;
  readonly pod?: BoundObject;
  readonly secret?: BoundObject;
  readonly node?: BoundObject;
}

export interface IssuedToken {
  readonly token: string;
  readonly tokenId: string;
  readonly expiresAt: Date;
}

interface KubernetesClaims {
  readonly namespace: string;
  readonly serviceaccount: BoundObject;
  readonly pod?: BoundObject;
  readonly secret?: BoundObject;
  readonly node?: BoundObject;
}

/** Issues and checks the tokens of service accounts with a key of this run. */
export class ServiceAccountTokens {
  readonly #privateKey: CryptoKey;
  readonly #publicKey: CryptoKey;
  readonly #keyId: string;
  readonly #store: ObjectStore;

  private constructor(privateKey: CryptoKey, publicKey: CryptoKey, keyId: string, store: ObjectStore) {
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
    this.#keyId = keyId;
    this.#store = store;
  }

  static async create(store: ObjectStore): Promise<ServiceAccountTokens> {
    const { privateKey, publicKey } = await generateKeyPair(ALGORITHM);
    return new ServiceAccountTokens(privateKey, publicKey, await calculateJwkThumbprint(await exportJWK(publicKey)), store);
  }

  /** The documents of OpenID discovery that let others check the tokens. */
  async keySet(): Promise<object> {
    return { keys: [{ ...(await exportJWK(this.#publicKey)), use: 'sig', kid: this.#keyId, alg: ALGORITHM }] };
  }

  async issue(subject: TokenSubject, audiences: readonly string[], lifetimeSeconds: number): Promise<IssuedToken> {
    const issuedAt = Math.floor(Date.now() / 1000);
    const expiresAt = issuedAt + lifetimeSeconds;
    const tokenId = randomUUID();
    const { namespace, serviceAccount, pod, secret, node } = subject;
    const claims: KubernetesClaims = {
      namespace,
      ...(node === undefined ? {} : { node }),
      ...(pod === undefined ? {} : { pod }),
      ...(secret === undefined ? {} : { secret }),
      serviceaccount: serviceAccount,
    };
    const token = await new SignJWT({ 'kubernetes.io': claims })
      .setProtectedHeader({ alg: ALGORITHM, kid: this.#keyId })
      .setAudience([...audiences])
      .setIssuer(ISSUER)
      .setSubject(serviceAccountUsername(namespace, serviceAccount.name))
      .setJti(tokenId)
      .setIssuedAt(issuedAt)
      .setNotBefore(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(this.#privateKey);
    return { token, tokenId, expiresAt: new Date(expiresAt * 1000) };
  }

  /** The token's user, or null when the token is not (or no longer) good for this API server. */
  async authenticate(token: string): Promise<UserInfo | null> {
    const payload = await this.#verify(token);
    if (payload === null) return null;
    const claims = payload['kubernetes.io'] as KubernetesClaims;
    const { namespace, serviceaccount, pod, secret, node } = claims;
    const alive =
      this.#exists('/serviceaccounts', namespace, serviceaccount) &&
      (pod === undefined || this.#exists('/pods', namespace, pod)) &&
      (secret === undefined || this.#exists('/secrets', namespace, secret)) &&
      (node === undefined || pod !== undefined || this.#exists('/nodes', null, node));
    if (!alive) return null;
    const extra: Record<string, string[]> = { 'authentication.kubernetes.io/credential-id': [`JTI=${payload.jti}`] };
    if (node !== undefined) {
      extra['authentication.kubernetes.io/node-name'] = [node.name];
      extra['authentication.kubernetes.io/node-uid'] = [node.uid];
    }
    if (pod !== undefined) {
      extra['authentication.kubernetes.io/pod-name'] = [pod.name];
      extra['authentication.kubernetes.io/pod-uid'] = [pod.uid];
    }
    return { username: payload.sub as string, uid: serviceaccount.uid, groups: serviceAccountGroups(namespace), extra };
  }

  async #verify(token: string): Promise<JWTPayload | null> {
    try {
      const { payload } = await jwtVerify(token, this.#publicKey, { algorithms: [ALGORITHM], issuer: ISSUER, audience: [...API_AUDIENCES], requiredClaims: ['sub', 'jti', 'iat', 'nbf', 'exp', 'kubernetes.io'] });
      return payload;
    } catch {
      return null;
    }
  }

  #exists(resource: string, namespace: string | null, { name, uid }: BoundObject): boolean {
    const metadata = this.#store.get(resource, namespace, name)?.metadata;
    if (metadata === undefined || metadata.uid !== uid) return false;
    return metadata.deletionTimestamp === undefined || Date.parse(metadata.deletionTimestamp) > Date.now() - DELETION_LEEWAY_MS;
  }
}
