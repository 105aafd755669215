import type { KeyObject } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { composeBundle } from '../../evidence/compose-bundle.ts';
import type { BundleFiles } from '../../evidence/bundle-layout.ts';
import type { RunLogLine } from '../../evidence/bundle-parts.ts';
import type { Observation } from '../../evidence/observation.ts';
import type { Report } from '../../evidence/report.ts';
import { secretIn } from '../../evidence/secret-patterns.ts';
import { auditReport, type AuditProfile } from '../run/audit-report.ts';
import { HarnessError } from '../run/errors.ts';
import { writtenTo } from '../run/written-to.ts';
import { archiveBundleFolder, writeBundle, writeBundleFolder } from './bundle-file.ts';
import type { RawEvidence } from './raw-evidence.ts';
import { signBundle } from './sign-bundle.ts';
import { publicPemOf } from './signing-key.ts';
import { versionsOf } from './versions.ts';

/** Where the bundle is wanted, and who signs it. */
export interface BundleRequest {
  readonly path: string;
  readonly signingKey: KeyObject | null;
}

export interface BundleSource {
  /** Private folder of the run. */
  readonly directory: string;
  readonly report: Report;
  readonly profile: AuditProfile;
  readonly observations: readonly Observation[];
  readonly observationLog: string;
  readonly raw: RawEvidence;
  readonly runLog: readonly RunLogLine[];
  readonly signal: AbortSignal;
}

/**
 * Makes the bundle in the run's own folder, lets the auditor judge it there, has it signed where a key was given, and leaves it at its
 * path. Answers how to take it away again, should what comes after it fail.
 */
export async function deliverBundle(request: BundleRequest, source: BundleSource): Promise<() => Promise<void>> {
  const { directory, report, observations, signal } = source;
  const files = composeBundle({ ...source.raw, report, observations, observationLog: source.observationLog, runLog: source.runLog, versions: versionsOf(observations) });
  assertNoSecrets(files);
  const accepted = await judged('bundle', files, source, null);
  if (request.signingKey === null) {
    await writtenTo(request.path, () => writeBundle(request.path, files, accepted));
  } else {
    const publicKeyPath = join(directory, 'public-key.pem');
    await writeFile(publicKeyPath, publicPemOf(request.signingKey), { mode: 0o600, flag: 'wx' });
    const signed = signBundle(files, request.signingKey, report, observations);
    const archive = await judged('signed-bundle', signed, source, publicKeyPath);
    await writtenTo(request.path, () => writeBundle(request.path, signed, archive));
  }
  signal.throwIfAborted();
  return async () => await rm(request.path, { recursive: true, force: true });
}

async function judged(name: string, files: BundleFiles, source: BundleSource, publicKeyPath: string | null): Promise<Buffer> {
  const folder = join(source.directory, name);
  await writeBundleFolder(folder, files);
  const archive = await archiveBundleFolder(folder, files);
  const bundlePath = `${folder}.tar`;
  await writeFile(bundlePath, archive, { mode: 0o600, flag: 'wx' });
  await auditReport({ reportPath: join(folder, 'report.json'), profile: source.profile, evidence: [`--bundle=${bundlePath}`, ...(publicKeyPath === null ? [] : [`--public-key=${publicKeyPath}`])], signal: source.signal });
  return archive;
}

function assertNoSecrets(files: BundleFiles): void {
  for (const [path, bytes] of files) {
    const secret = secretIn(Buffer.from(bytes).toString());
    if (secret !== null) throw new HarnessError('QL3_DEFECT', `expected nothing secret in the bundle, got ${secret} in ${path}; nothing was written`);
  }
}
