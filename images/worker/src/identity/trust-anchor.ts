import { X509Certificate } from 'node:crypto';

import { WorkerError } from '../errors.ts';
import { readGuardedFile } from '../files/guarded-file.ts';

const MAX_BYTES = 1_048_576;
const MAX_CERTIFICATES = 16;
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates that the Control's certificate must chain to, 1 to 16, as PEM. */
export async function readTrustAnchor(path: string): Promise<Buffer> {
  const pem = await readGuardedFile(path, { what: 'the trust anchor', maxBytes: MAX_BYTES, forbiddenMode: 0o022 });
  const blocks = pem.toString('latin1').match(BLOCK) ?? [];
  if (blocks.length < 1 || blocks.length > MAX_CERTIFICATES || !blocks.every(isCertificate)) {
    throw new WorkerError('WORKER_TRUST_ANCHOR_INVALID', `the trust anchor at ${path}: expected 1 to ${MAX_CERTIFICATES} PEM certificates, got ${blocks.length} PEM blocks`, {
      facts: { path, blocks: blocks.length },
    });
  }
  return pem;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
