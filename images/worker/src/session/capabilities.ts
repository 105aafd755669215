import { capabilitiesHash, MAXIMUM_CAPABILITIES_BYTES } from '../../../core/session-wire.ts';
import type { CapacityProfile } from '../configuration/worker-settings.ts';
import { WorkerError } from '../errors.ts';
import { readGuardedFile } from '../files/guarded-file.ts';

/** Runs at the same time, by profile: an edge device runs one. */
const MAX_CONCURRENT_RUNS: Readonly<Record<CapacityProfile, number>> = { edge: 1, node: 4 };

export interface Capabilities {
  readonly capabilitiesJson: string;
  readonly capabilitiesHash: string;
  readonly maxConcurrentRuns: number;
}

/** Read once: a session's capabilities may not change, so a changed file counts from the next start. */
export async function readCapabilities(path: string, profile: CapacityProfile): Promise<Capabilities> {
  const bytes = await readGuardedFile(path, { what: 'the capabilities', maxBytes: MAXIMUM_CAPABILITIES_BYTES, forbiddenMode: 0o022 });
  const capabilitiesJson = JSON.stringify(parseObject(bytes, path));
  return { capabilitiesJson, capabilitiesHash: capabilitiesHash(capabilitiesJson), maxConcurrentRuns: MAX_CONCURRENT_RUNS[profile] };
}

function parseObject(bytes: Buffer, path: string): object {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid(path, 'something that is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(path, 'JSON of another kind');
  return value;
}

function invalid(path: string, got: string): WorkerError {
  return new WorkerError('WORKER_CAPABILITIES_INVALID', `the capabilities at ${path}: expected one JSON object, got ${got}`, { facts: { path } });
}
