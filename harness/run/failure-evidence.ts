import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { FAILURE_INDEX_FILE, type FailureIndex } from '../../evidence/failure-index.ts';
import type { RunLogLine } from '../../evidence/bundle-parts.ts';
import type { ClusterClients } from '../cluster/clients.ts';
import type { PodLines } from '../cluster/pod-lines.ts';
import type { StartedSubstrate } from '../substrate/substrate.ts';
import { describeError } from './describe-error.ts';
import type { FailureFolder } from './failure-folder.ts';
import { usefulLines } from './failure-lines.ts';
import { saveObjects } from './failure-objects.ts';
import { reasonOf } from './failure-reason.ts';
import { saveRows } from './failure-rows.ts';
import type { Span } from './spans.ts';

/** Who can be asked, as far as the run has come. */
export interface Witnesses {
  substrate: Pick<StartedSubstrate, 'collectFailure'> | null;
  cluster: ClusterClients | null;
  lines: PodLines | null;
  database: { readonly witness: pg.Pool } | null;
}

export interface FailureSources extends Readonly<Witnesses> {
  /** The observation log so far. */
  readonly observationsPath: string;
  readonly namespaces: readonly string[];
  readonly spans: readonly Span[];
  readonly runLog: readonly RunLogLine[];
  readonly error: unknown;
  readonly signal: AbortSignal;
}

/**
 * Saves what explains a failure before anything is removed: objects (Secrets without data), events, logs (previous ones too),
 * rows, spans and the observation log. What cannot be had is named with its reason and does not cost the others.
 */
export async function collectFailureEvidence(folder: FailureFolder, sources: FailureSources): Promise<void> {
  const { substrate, cluster, lines, namespaces, signal } = sources;
  // what most is derived from comes first, should there be no room for everything
  await attempt(folder, 'the observation log', () => Promise.resolve(folder.copy('observations.jsonl', 'observations', 'the run', sources.observationsPath)));
  folder.save('error.txt', 'error', 'the failure', `${describeError(sources.error)}\n`);
  folder.save('spans.json', 'spans', 'the run', `${JSON.stringify(sources.spans, null, 2)}\n`);
  folder.save('run-log.jsonl', 'run-log', 'the run', sources.runLog.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await Promise.all([
    attempt(folder, 'logs of the platform', async () => await substrate?.collectFailure(folder.path)),
    saveObjects(folder, { cluster, lines, namespaces, signal }),
    saveRows(folder, sources.database?.witness ?? null),
  ]);
}

async function attempt(folder: FailureFolder, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    folder.miss(what, reasonOf(error));
  }
}

/** Looks at what is in the folder now, however far the collecting came, and writes the index over it. */
export function writeFailureIndex(folder: FailureFolder, failure: FailureIndex): FailureIndex {
  const { missing } = folder;
  if (missing.length > 0) folder.save('missing.txt', 'missing', 'the evidence', missing.map(({ what, why }) => `${what}: ${why}\n`).join(''));
  const files = folder.files();
  const index: FailureIndex = { ...failure, files, missing, lines: usefulLines(folder, files, failure) };
  writeFileSync(join(folder.path, FAILURE_INDEX_FILE), `${JSON.stringify(index, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return index;
}
