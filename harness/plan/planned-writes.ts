import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUNDLE_CONTENTS } from '../../evidence/bundle-contents.ts';
import { ATTESTATION_PATH, BUNDLE_FORMAT, BUNDLE_LAYOUT, MANIFEST_PATH, partsOf, type BundleFormat } from '../../evidence/bundle-layout.ts';
import { DURATIONS_FILE } from '../progress/durations.ts';
import { RUN_DIRECTORY_PREFIX } from '../run/run-directory.ts';

export interface PlannedWrite {
  readonly path: string;
  readonly mode: '0600' | '0700' | '0711';
  readonly holds: string;
  readonly stays: 'always' | 'when the run holds' | 'when it fails' | 'until its end';
}

/** Stands for the characters that make a name unique. */
const UNIQUE = 'XXXXXX';

export interface WritePlanOptions {
  /** Null: a fresh private folder. */
  readonly reportPath: string | null;
  readonly bundle: { readonly path: string; readonly isSigned: boolean } | null;
}

/** Everything that a run writes on this machine outside Docker, with its mode. */
export function planWrites({ reportPath, bundle, embedded }: WritePlanOptions & { readonly embedded: boolean }): readonly PlannedWrite[] {
  const report = reportPath ?? join(temporaryFolder(), `ql3-rehearsal-${UNIQUE}`, 'report.json');
  return [
    { path: report, mode: '0600', holds: BUNDLE_CONTENTS.report, stays: 'when the run holds' },
    ...(bundle === null ? [] : [{ path: bundle.path, mode: bundle.path.endsWith('.tar') ? '0600' : '0700', holds: `the bundle: ${bundlePaths(bundle.isSigned).join(', ')}`, stays: 'when the run holds' } as const]),
    { path: `${report}.failure-${UNIQUE}`, mode: '0700', holds: 'what explains a failure: logs, events, objects without Secrets, observations; files of mode 0600', stays: 'when it fails' },
    { path: join(temporaryFolder(), `${RUN_DIRECTORY_PREFIX}${UNIQUE}`), mode: '0700', holds: "the run's own folder: keys, kubeconfig, bundles of the images, observations", stays: 'until its end' },
    ...(embedded ? [{ path: join(temporaryFolder(), `ql3-embedded-node-${UNIQUE}`), mode: '0711', holds: 'Pods, volumes and database, which have users of their own; without root, or where these can enter the run\'s own folder, they are in that', stays: 'until its end' } as const] : []),
    { path: DURATIONS_FILE, mode: '0600', holds: 'how long earlier runs took, for the estimate', stays: 'when the run holds' },
  ];
}

/** The files of a bundle, in the order of its archive. */
export function bundlePaths(isSigned: boolean, format: BundleFormat = BUNDLE_FORMAT): readonly string[] {
  return [...partsOf(format).map((part) => BUNDLE_LAYOUT[part].path), MANIFEST_PATH, ...(isSigned ? [ATTESTATION_PATH] : [])].sort();
}

function temporaryFolder(): string {
  try {
    return realpathSync(tmpdir());
  } catch {
    return tmpdir();
  }
}
