import type { KeyObject } from 'node:crypto';
import { ATTESTATION_PATH, BUNDLE_FORMAT, BUNDLE_LAYOUT, MANIFEST_PATH } from '../../evidence/bundle-layout.ts';
import { formatOf } from '../../evidence/bundle-manifest.ts';
import { keyIdOf, kindOfKey } from '../../evidence/dsse.ts';
import type { Finding } from '../findings.ts';
import { OTHER_STATEMENT } from './attestation.ts';
import { auditBundle, type GivenReport } from './audit-bundle.ts';
import type { BundleInput } from './bundle-input.ts';
import { readCanonical } from './canonical-text.ts';
import { auditManifest } from './manifest.ts';
import { readBundle } from './read-bundle.ts';
import { readPublicKey } from './read-public-key.ts';

export interface BundleJudgement {
  readonly found: readonly Finding[];
  /** One line for people about the signature: nobody should take silence for one. */
  readonly signature: string;
  /** Of an earlier format than today's: one line for people about what it could not show yet. */
  readonly age: string | null;
}

/** Reads bundle and key from where they lie, and audits. */
export function judgeBundle({ bundle, publicKey: keyPath, report }: { readonly bundle: string; readonly publicKey: string | null; readonly report: GivenReport }): BundleJudgement {
  const publicKey = keyPath === null ? null : readPublicKey(keyPath);
  const input = readBundle(bundle);
  const found = auditBundle(input, report, publicKey);
  return { found, age: ageOf(input.files.get(MANIFEST_PATH)), signature: tellSignature(input, found, report, publicKey) };
}

/** Verified is only the signature of these very files and this very report. */
function tellSignature({ files, faults }: BundleInput, found: readonly Finding[], report: GivenReport, publicKey: KeyObject | null): string {
  if (faults.length > 0) return 'not looked at';
  if (!files.has(ATTESTATION_PATH)) return 'none';
  if (publicKey === null) return 'there is one, and it was not verified: give the key with --public-key';
  const refused = found.find(({ detail }) => detail.startsWith(`${ATTESTATION_PATH}:`))?.detail;
  if (refused?.includes(OTHER_STATEMENT) === false) return 'not accepted';
  const isOther = found.length > 0 && (refused !== undefined || auditManifest(files).faults.length > 0 || Buffer.from(files.get(BUNDLE_LAYOUT.report.path) ?? []).toString() !== report.text);
  const whose = isOther ? 'of another report or bundle than these' : `verified${found.length > 0 ? ', of what has findings' : ''}`;
  return `${whose}, ${kindOfKey(publicKey)}, key ${keyIdOf(publicKey)}`;
}

function ageOf(manifest: Uint8Array | undefined): string | null {
  const read = manifest === undefined ? null : readCanonical(manifest);
  const format = read?.ok === true ? formatOf(read.value) : BUNDLE_FORMAT;
  return format === BUNDLE_FORMAT ? null : `${format}, an earlier format: how long tokens were to live is the product's word alone, and the platform's own logs are not in it`;
}
