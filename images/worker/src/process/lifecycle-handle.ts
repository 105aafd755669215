/** The longest delay that a timer takes; the callback does nothing, so its period does not matter. */
const LONGEST_MS = 2_147_483_647;

/**
 * Keeps the process alive until disposed. Node ends a process, with exit code 0, once no referenced handle is left: a pending
 * Promise, an idle keep-alive socket and an unref'ed timer all do not count.
 */
export function holdProcess(): Disposable {
  const handle = setInterval(() => {}, LONGEST_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(handle);
    },
  };
}
