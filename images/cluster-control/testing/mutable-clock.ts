/** A clock that a test moves by hand, in milliseconds. */
export class MutableClock {
  #at = 0;

  readonly now = (): number => this.#at;

  advance(durationMs: number): void {
    this.#at += durationMs;
  }
}
