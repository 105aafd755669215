/** Remembers the first reason why the process may not go on, for whoever waits on it. */
export class LossLatch {
  readonly lost: Promise<never>;
  readonly set: (error: Error) => void;

  constructor() {
    const { promise, reject } = Promise.withResolvers<never>();
    // Nobody may be waiting when it happens; the next one who does still learns of it.
    promise.catch(() => {});
    this.lost = promise;
    this.set = reject;
  }
}
