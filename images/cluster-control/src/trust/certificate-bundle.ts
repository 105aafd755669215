import { X509Certificate } from 'node:crypto';

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/gu;

/** The certificates of a PEM text in their order; throws with the position of the first that does not parse. */
export function parseCertificates(pem: Buffer): X509Certificate[] {
  const blocks = pem.toString('latin1').match(CERTIFICATE_BLOCK) ?? [];
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (cause) {
      throw new Error(`certificate ${index + 1} of ${blocks.length} does not parse`, { cause });
    }
  });
}

/** SHA-256 over the DER, 64 lower-case hexadecimal characters. */
export function certificateFingerprint(certificate: X509Certificate): string {
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase();
}

/** The serial number as lower-case hexadecimal characters. */
export function certificateSerial(certificate: X509Certificate): string {
  return certificate.serialNumber.toLowerCase();
}
