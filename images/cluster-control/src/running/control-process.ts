import { loadControlConfiguration } from '../configuration/load-configuration.ts';
import { ControlError } from '../control-error.ts';
import { openControlDatabase } from '../database/open-control-database.ts';
import { createEventLog, type EventLog } from '../events/event-log.ts';
import { CONTROL_LIMITS } from './control-limits.ts';
import { writePidFile } from './pid-file.ts';
import { type RunningControl, startControl } from './running-control.ts';

/** sysexits(3): EX_USAGE, for a configuration that cannot be started at all. */
export const EXIT_CONFIGURATION = 64;
export const EXIT_FAILURE = 1;

/** The process: configuration from the environment, events on stdout, its failure on stderr, signals. */
export async function runControl(host: NodeJS.Process): Promise<void> {
  const log = createEventLog((line) => host.stdout.write(line));
  const failures = createEventLog((line) => host.stderr.write(line));
  // Nobody reads any more: that is no reason to stop serving.
  for (const stream of [host.stdout, host.stderr]) stream.on('error', () => undefined);
  const fail = (error: unknown): never => {
    failures.error('process_failed', describeFailure(error));
    return host.exit(error instanceof ControlError && error.code === 'QL3_CLUSTER_CONTROL_CONFIGURATION_INVALID' ? EXIT_CONFIGURATION : EXIT_FAILURE);
  };
  host.on('uncaughtException', fail);
  const signals = receiveSignals(host);
  try {
    const control = await start(host, log);
    signals.deliverTo(control);
    await signals.stopped;
  } catch (error) {
    fail(error);
  }
  host.exit(0);
}

async function start(host: NodeJS.Process, log: EventLog): Promise<RunningControl> {
  const configuration = await loadControlConfiguration(host.env);
  const { settings, material, pepper } = configuration;
  log.info('starting', { pid: host.pid, node: host.version, revocationList: settings.trustFiles.clientRevocations !== null });
  const database = openControlDatabase(configuration.database);
  try {
    const control = await startControl({ settings, material, pepper, database, limits: CONTROL_LIMITS, log });
    const pidFile = writePidFile(settings.pidFile);
    host.once('exit', () => pidFile[Symbol.dispose]());
    return control;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Signals are taken from the first moment on; those that arrive before the start is complete are acted on after it. */
function receiveSignals(host: NodeJS.Process): { deliverTo(control: RunningControl): void; readonly stopped: Promise<void> } {
  const stopped = Promise.withResolvers<void>();
  let running: RunningControl | null = null;
  let stops = 0;
  let reloadPending = false;
  const stop = (): void => {
    stops += 1;
    if (stops > 1) running?.hurry();
    else running?.stop().then(stopped.resolve, stopped.reject);
  };
  const reload = (): void => {
    if (running === null) reloadPending = true;
    else void running.reloadTrust();
  };
  host.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', reload);
  return {
    stopped: stopped.promise,
    deliverTo(control) {
      running = control;
      if (stops > 0) control.stop().then(stopped.resolve, stopped.reject);
      else if (reloadPending) reload();
    },
  };
}

function describeFailure(error: unknown): Record<string, unknown> {
  if (error instanceof ControlError) return { name: error.name, code: error.code, problems: error.problems, help: '--help tells what is needed' };
  const code = error instanceof Error && 'code' in error ? String(error.code) : null;
  return { name: error instanceof Error ? error.name : 'unknown', code, reason: error instanceof Error ? error.message : 'unknown error' };
}
