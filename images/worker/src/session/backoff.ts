/** Growing delays between attempts, from the first to the longest, doubling; a Retry-After of the other side counts if it is longer. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #nextMs: number;

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = Math.min(firstMs, longestMs);
    this.#longestMs = longestMs;
    this.#nextMs = this.#firstMs;
  }

  next(retryAfterMs: number | null = null): number {
    const delayMs = this.#nextMs;
    this.#nextMs = Math.min(delayMs * 2, this.#longestMs);
    return Math.min(Math.max(delayMs, retryAfterMs ?? 0), Math.max(this.#longestMs, delayMs));
  }

  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}
