import { ATTESTATION_PATH, BUNDLE_FORMAT, MANIFEST_PATH } from '../../evidence/bundle-layout.ts';
import { formatOf } from '../../evidence/bundle-manifest.ts';
import { keyIdOf, kindOfKey } from '../../evidence/dsse.ts';
import type { Finding } from '../findings.ts';
import { auditBundle, type GivenReport } from './audit-bundle.ts';
import { readCanonical } from './canonical-text.ts';
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
  const isSigned = input.files.has(ATTESTATION_PATH);
  const age = ageOf(input.files.get(MANIFEST_PATH));
  if (publicKey === null) return { found, age, signature: isSigned ? 'there is one, and it was not verified: give the key with --public-key' : 'none' };
  const refused = found.some(({ detail }) => detail.startsWith(`${ATTESTATION_PATH}:`));
  return { found, age, signature: refused ? 'not accepted' : `verified, ${kindOfKey(publicKey)}, key ${keyIdOf(publicKey)}` };
}

function ageOf(manifest: Uint8Array | undefined): string | null {
  const read = manifest === undefined ? null : readCanonical(manifest);
  const format = read?.ok === true ? formatOf(read.value) : BUNDLE_FORMAT;
  return format === BUNDLE_FORMAT ? null : `${format}, an earlier format: how long tokens were to live is the product's word alone, and the platform's own logs are not in it`;
}
