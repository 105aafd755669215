import { createPrivateKey, X509Certificate } from 'node:crypto';

import { WorkerError } from '../errors.ts';
import { readGuardedFile } from '../files/guarded-file.ts';

const MAX_BYTES = 65_536;

/** A client certificate (chain, leaf first) and its private key, as PEM. */
export interface IdentityPair {
  readonly certificatePem: Buffer;
  readonly privateKeyPem: Buffer;
  /** SHA-256 over the leaf's DER, 64 lower-case hex characters. */
  readonly fingerprint: string;
  readonly notBeforeMs: number;
  readonly expiresAtMs: number;
}

export async function readIdentityPair(certificateFile: string, privateKeyFile: string): Promise<IdentityPair> {
  const [certificatePem, privateKeyPem] = await Promise.all([
    readGuardedFile(certificateFile, { what: 'the client certificate', maxBytes: MAX_BYTES, forbiddenMode: 0o022 }),
    readGuardedFile(privateKeyFile, { what: 'the client private key', maxBytes: MAX_BYTES, forbiddenMode: 0o077 }),
  ]);
  return toIdentityPair(certificatePem, privateKeyPem, certificateFile, privateKeyFile);
}

function toIdentityPair(certificatePem: Buffer, privateKeyPem: Buffer, certificateFile: string, privateKeyFile: string): IdentityPair {
  const certificate = attempt(() => new X509Certificate(certificatePem), `expected a PEM certificate at ${certificateFile}`);
  const key = attempt(() => createPrivateKey(privateKeyPem), `expected an unencrypted PEM private key at ${privateKeyFile}`);
  if (!certificate.checkPrivateKey(key)) throw invalid(`the private key at ${privateKeyFile} does not belong to the certificate at ${certificateFile}`);
  return {
    certificatePem,
    privateKeyPem,
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    notBeforeMs: certificate.validFromDate.getTime(),
    expiresAtMs: certificate.validToDate.getTime(),
  };
}

function attempt<T>(parse: () => T, expectation: string): T {
  try {
    return parse();
  } catch {
    // The parser's own message is dropped on purpose: it may quote what it could not read.
    throw invalid(expectation);
  }
}

function invalid(problem: string): WorkerError {
  return new WorkerError('WORKER_IDENTITY_INVALID', problem);
}
