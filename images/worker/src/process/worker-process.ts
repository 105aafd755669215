import type { WorkerConfiguration } from '../configuration/worker-configuration.ts';
import { parseWorkerConfiguration } from '../configuration/worker-configuration.ts';
import { toWorkerError, type WorkerError } from '../errors.ts';
import { IdentitySource } from '../identity/identity-source.ts';
import { IdentityStore } from '../identity/identity-store.ts';
import { readRequestAuthority } from '../identity/request-authority.ts';
import { IngressClient } from '../ingress/ingress-client.ts';
import { readCapabilities } from '../session/capabilities.ts';
import { SessionOwner } from '../session/session-owner.ts';
import { EventLog, type EventStreams } from './event-log.ts';
import { holdProcess } from './lifecycle-handle.ts';
import { LossLatch } from './loss-latch.ts';
import { ShutdownRequest } from './shutdown-request.ts';
import { assertVolumeFolders, ownVolume, type OwnedVolume } from './volume.ts';

/**
 * The whole life of the Worker process: its exit code, 0 after `stopped` and 1 after `process_failed`. The lifecycle handle
 * is held from the first line to the last; the signal handlers stay until the process is gone, so that a late signal cannot turn 0 into 143.
 */
export async function runWorkerProcess(environment: NodeJS.ProcessEnv, streams: EventStreams): Promise<number> {
  const log = new EventLog(streams);
  using _handle = holdProcess();
  const shutdown = new ShutdownRequest((signal, count) => {
    if (count === 1) log.info('shutdown_requested', { signal });
    else log.warn('runtime_diagnostic', { code: 'signal_repeated', signal, count });
  });
  try {
    const configuration = parseWorkerConfiguration(environment);
    log.name({ workerId: configuration.workerId, capacityProfile: configuration.capacityProfile });
    await live(configuration, log, shutdown);
    return 0;
  } catch (thrown) {
    reportFailure(log, toWorkerError(thrown));
    return 1;
  }
}

async function live(configuration: WorkerConfiguration, log: EventLog, shutdown: ShutdownRequest): Promise<void> {
  log.info('starting', { podUid: configuration.podUid, pid: process.pid, nodeVersion: process.version });
  await assertVolumeFolders(configuration);
  const capabilities = await readCapabilities(configuration.capabilitiesFile, configuration.capacityProfile);
  const identity = new IdentitySource(new IdentityStore(configuration.certificateStoreRoot), configuration.bootstrap, (notice) => log.info('runtime_diagnostic', notice));
  await identity.start();
  const client = new IngressClient({
    origin: configuration.controlOrigin,
    workerId: configuration.workerId,
    readAuthority: () => readRequestAuthority(identity, configuration),
  });
  const loss = new LossLatch();
  const volume = await ownVolume(configuration, log, shutdown.signal, loss.set);
  if (volume === null) {
    log.info('stopped', { sessionId: null, generation: null });
    return;
  }
  let session: SessionOwner | null = null;
  try {
    const registering = SessionOwner.register({ configuration, capabilities, client, journal: volume.journal, log }, shutdown.signal, loss.set);
    session = await Promise.race([registering, loss.lost]);
    const ended = session === null ? {} : await serve(session, shutdown, loss);
    await giveBack(volume);
    log.info('stopped', { sessionId: session?.sessionId ?? null, generation: session?.generation ?? null, ...ended });
  } catch (error) {
    // First, so that a request that hangs does not keep us from ending.
    client.close();
    await session?.abandon(error).catch(() => {});
    await giveBack(volume).catch(() => {});
    throw error;
  } finally {
    client.close();
  }
}

/** Until it is asked to stop and has drained; rejects when the session or the volume is lost, also in the middle of a drain. */
async function serve(session: SessionOwner, shutdown: ShutdownRequest, loss: LossLatch): Promise<{ offlineConfirmed: boolean; drainElapsedMs: number }> {
  session.start();
  await Promise.race([shutdown.received, loss.lost]);
  const startedAt = performance.now();
  const { offlineConfirmed } = await Promise.race([session.drain(), loss.lost]);
  return { offlineConfirmed, drainElapsedMs: Math.round(performance.now() - startedAt) };
}

/** The journal is closed before the lock is released: a successor may open it the moment it is. */
async function giveBack(volume: OwnedVolume): Promise<void> {
  await volume.journal.close();
  await volume.lock.release();
}

function reportFailure(log: EventLog, error: WorkerError): void {
  log.error('process_failed', { name: error.name, code: error.code, message: error.message, ...error.facts });
}
