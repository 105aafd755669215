export interface ShieldLimits {
  readonly failuresPerPeer: number;
  readonly failuresOverall: number;
  readonly windowMs: number;
}

export type ShieldVerdict =
  | { readonly admitted: true; readonly refund: () => void }
  | { readonly admitted: false; readonly retryAfterSeconds: number; readonly firstInWindow: boolean };

/**
 * Limits failed requests by charging every request up front and giving the charge back once it was admitted, so
 * that a burst of concurrent guesses cannot pass before the first of them has failed. What it remembers is bounded
 * by the overall limit and forgotten at the end of each window.
 */
export class OverloadShield {
  readonly #limits: ShieldLimits;
  readonly #now: () => number;
  #windowEndsAt = -Infinity;
  #charges = new Map<string, number>();
  #overall = 0;
  #refusedPeers = new Set<string>();

  constructor(limits: ShieldLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  charge(peer: string): ShieldVerdict {
    const now = this.#now();
    if (now >= this.#windowEndsAt) this.#openWindow(now);
    const charged = this.#charges.get(peer) ?? 0;
    if (charged >= this.#limits.failuresPerPeer || this.#overall >= this.#limits.failuresOverall) {
      return this.#refuse(peer, now);
    }
    this.#charges.set(peer, charged + 1);
    this.#overall += 1;
    return { admitted: true, refund: this.#refundOnce(peer, this.#windowEndsAt) };
  }

  #openWindow(now: number): void {
    this.#windowEndsAt = now + this.#limits.windowMs;
    this.#charges = new Map();
    this.#refusedPeers = new Set();
    this.#overall = 0;
  }

  #refuse(peer: string, now: number): ShieldVerdict {
    const retryAfterSeconds = Math.max(1, Math.ceil((this.#windowEndsAt - now) / 1000));
    const firstInWindow = !this.#refusedPeers.has(peer) && this.#refusedPeers.size < this.#limits.failuresOverall;
    if (firstInWindow) this.#refusedPeers.add(peer);
    return { admitted: false, retryAfterSeconds, firstInWindow };
  }

  /** A charge of an earlier window is already forgotten and must not lower the count of the current one. */
  #refundOnce(peer: string, windowEndsAt: number): () => void {
    let pending = true;
    return () => {
      if (!pending || windowEndsAt !== this.#windowEndsAt) return;
      pending = false;
      this.#overall -= 1;
      const charged = (this.#charges.get(peer) ?? 1) - 1;
      if (charged === 0) this.#charges.delete(peer);
      else this.#charges.set(peer, charged);
    };
  }
}
