/** Things that happened, in order, and a wait for one that has happened or will. */
export class Recorder<T> {
  readonly all: T[] = [];
  readonly #waiting = new Set<() => void>();

  add(item: T): void {
    this.all.push(item);
    for (const look of this.#waiting) look();
  }

  /** The first match from `from` on; rejects at the deadline, with what was seen instead. */
  async waitFor(what: string, matches: (item: T) => boolean, { from = 0, deadlineMs = 60_000 }: { from?: number; deadlineMs?: number } = {}): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const look = (): void => {
      const found = this.all.slice(from).find(matches);
      if (found !== undefined) resolve(found);
    };
    const timer = setTimeout(() => reject(new Error(`not seen within ${deadlineMs} ms: ${what}; seen: ${JSON.stringify(this.all.slice(-8))}`)), deadlineMs);
    this.#waiting.add(look);
    look();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(look);
    }
  }
}
