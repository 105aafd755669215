import { toWorkerError, WorkerError } from '../errors.ts';
import { readIdentityPair } from './identity-pair.ts';
import type { IdentityStore, StoredIdentity } from './identity-store.ts';

export interface BootstrapFiles {
  readonly certificateFile: string;
  readonly privateKeyFile: string;
}

export type IdentityNotice =
  | { readonly code: 'identity_installed'; readonly generation: number; readonly fingerprint: string; readonly expiresAt: string }
  | { readonly code: 'identity_bootstrap_refused'; readonly reason: string; readonly message: string }
  | { readonly code: 'identity_not_valid_now'; readonly generation: number; readonly notBefore: string; readonly expiresAt: string };

/**
 * The identity for the next request. The bootstrap files are looked at every time; when they hold another certificate it
 * becomes a new generation of the store. While they are unreadable (half replaced, say) the stored identity stays in use:
 * the store is what has been checked.
 */
export class IdentitySource {
  readonly #store: IdentityStore;
  readonly #bootstrap: BootstrapFiles | null;
  readonly #onNotice: (notice: IdentityNotice) => void;
  /** What this process has chosen, so that a successor's newer generation is not taken up by a predecessor that is ending. */
  #chosen: { generation: number; fingerprint: string } | null = null;
  #refused: string | null = null;

  constructor(store: IdentityStore, bootstrap: BootstrapFiles | null, onNotice: (notice: IdentityNotice) => void) {
    this.#store = store;
    this.#bootstrap = bootstrap;
    this.#onNotice = onNotice;
  }

  /** At start there is nothing checked to fall back to: unreadable bootstrap files are an error. */
  async start(): Promise<StoredIdentity> {
    const identity = this.#bootstrap === null ? await this.#stored() : await this.#install(this.#bootstrap);
    this.#noteValidity(identity);
    return identity;
  }

  async next(): Promise<StoredIdentity> {
    if (this.#bootstrap !== null) await this.#followBootstrap(this.#bootstrap);
    return this.#bootstrap === null || this.#chosen === null ? await this.#stored() : await this.#store.read(this.#chosen.generation);
  }

  async #followBootstrap(bootstrap: BootstrapFiles): Promise<void> {
    try {
      await this.#install(bootstrap);
      this.#refused = null;
    } catch (thrown) {
      const error = toWorkerError(thrown);
      // Said once for each cause, not once for each request.
      if (this.#refused === error.message) return;
      this.#refused = error.message;
      this.#onNotice({ code: 'identity_bootstrap_refused', reason: error.code, message: error.message });
    }
  }

  async #install(bootstrap: BootstrapFiles): Promise<StoredIdentity> {
    const pair = await readIdentityPair(bootstrap.certificateFile, bootstrap.privateKeyFile);
    if (this.#chosen?.fingerprint === pair.fingerprint) return { generation: this.#chosen.generation, pair };
    const { identity, installed } = await this.#store.install(pair);
    this.#chosen = { generation: identity.generation, fingerprint: pair.fingerprint };
    if (installed) {
      this.#onNotice({ code: 'identity_installed', generation: identity.generation, fingerprint: pair.fingerprint, expiresAt: new Date(pair.expiresAtMs).toISOString() });
    }
    return identity;
  }

  async #stored(): Promise<StoredIdentity> {
    const identity = await this.#store.current();
    if (identity !== null) return identity;
    throw new WorkerError('WORKER_IDENTITY_INVALID', 'the certificate store is empty and no bootstrap identity is configured: set both QL3_WORKER_IDENTITY_BOOTSTRAP_… files');
  }

  // A warning only: a device without a battery-backed clock starts in the past, and the ingress decides anyway.
  #noteValidity(identity: StoredIdentity): void {
    const { notBeforeMs, expiresAtMs } = identity.pair;
    if (notBeforeMs <= Date.now() && Date.now() < expiresAtMs) return;
    this.#onNotice({ code: 'identity_not_valid_now', generation: identity.generation, notBefore: new Date(notBeforeMs).toISOString(), expiresAt: new Date(expiresAtMs).toISOString() });
  }
}
