import { readPidFile } from './pid-file.ts';
import { EXIT_CONFIGURATION, EXIT_FAILURE } from './control-process.ts';

const PID_FILE = 'QL3_CLUSTER_CONTROL_PID_FILE';

/**
 * `control.mjs reload`, for `kubectl exec`: an image without a shell has no kill(1). Asks the running process to read its
 * trust material again; what came of it is in that process's log.
 */
export function requestReload(host: NodeJS.Process): void {
  const path = host.env[PID_FILE];
  if (path === undefined || path === '') {
    host.stderr.write(`expected ${PID_FILE} to name the file that the running Cluster Control was given\n`);
    host.exitCode = EXIT_CONFIGURATION;
    return;
  }
  try {
    host.kill(readPidFile(path), 'SIGHUP');
  } catch (error) {
    host.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    host.exitCode = EXIT_FAILURE;
  }
}
