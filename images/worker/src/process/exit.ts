const GRACE_MS = 2_000;

/**
 * Lets the process end by itself, so that nothing written is lost, and ends it anyway if some handle was forgotten: the
 * unref'ed timer fires only in a process that is still alive.
 */
export function exitWith(code: number): void {
  process.exitCode = code;
  setTimeout(() => {
    process.exit(code);
  }, GRACE_MS).unref();
}

/** A defect is told in one JSON line as well; a reader of our output that has gone away does not end the process. */
export function guardProcess(component: string): void {
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  process.on('uncaughtException', (error) => {
    const line = { schemaVersion: 1, component, level: 'error', event: 'process_failed', at: new Date().toISOString(), name: error.name, code: 'WORKER_INTERNAL', message: error.message };
    process.stderr.write(`${JSON.stringify(line)}\n`);
    process.exit(1);
  });
}
