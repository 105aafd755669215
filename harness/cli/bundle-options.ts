import type { BundleRequest } from '../bundle/deliver-bundle.ts';
import { readSigningKey } from '../bundle/signing-key.ts';
import { HarnessError } from '../run/errors.ts';
import { assertUsableReportPath } from './report-path.ts';

export const BUNDLE_OPTIONS = {
  bundle: { value: 'PATH', completes: 'file', description: 'all that the report rests on: an archive when the name ends in .tar, else a folder; same rules as for --report' },
  'sign-key': { value: 'KEY', completes: 'file', description: 'private key (Ed25519 or ECDSA P-256, PEM, mode 0600) that signs report and bundle; without one nothing is signed. `npx ql3-evidence audit --help` says what its id is' },
} as const;

/** Refuses paths and keys before anything is started. */
export function requestBundle(given: { readonly bundlePath: string | undefined; readonly signKey: string | undefined; readonly report: string | undefined }): BundleRequest | null {
  const { bundlePath, signKey, report } = given;
  if (bundlePath === undefined) {
    if (signKey !== undefined) throw new HarnessError('QL3_USAGE', 'expected --bundle=/absolute/new.tar beside --sign-key: what is signed is the bundle');
    return null;
  }
  if (bundlePath === report) throw new HarnessError('QL3_USAGE', 'expected two different paths for --report and --bundle, got the same one twice');
  assertUsableReportPath(bundlePath);
  return { path: bundlePath, signingKey: signKey === undefined ? null : readSigningKey(signKey) };
}
