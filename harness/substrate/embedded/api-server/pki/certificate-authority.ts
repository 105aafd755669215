import 'reflect-metadata';
import { createHash, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const LIFETIME_MS = 365 * 24 * 3_600_000;
/** Clocks of client and server may differ a little. */
const BACKDATING_MS = 60_000;

export interface KeyAndCertificate {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** The certificate authority of one run; its key never leaves the process. */
export class CertificateAuthority {
  readonly certificatePem: string;
  readonly #keys: webcrypto.CryptoKeyPair;
  readonly #certificate: x509.X509Certificate;

  private constructor(keys: webcrypto.CryptoKeyPair, certificate: x509.X509Certificate) {
    this.#keys = keys;
    this.#certificate = certificate;
    this.certificatePem = certificate.toString('pem');
  }

  static async create(commonName: string): Promise<CertificateAuthority> {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      ...validity(),
      name: [{ CN: [commonName] }],
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new CertificateAuthority(keys, certificate);
  }

  async issueServerCertificate(commonName: string, dnsNames: readonly string[], addresses: readonly string[]): Promise<KeyAndCertificate> {
    const names = new x509.SubjectAlternativeNameExtension([...dnsNames.map((value) => ({ type: 'dns' as const, value })), ...addresses.map((value) => ({ type: 'ip' as const, value }))]);
    return this.#issue([{ CN: [commonName] }], [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]), names]);
  }

  /** A client certificate: the common name is the user, the organisations are the groups. */
  async issueClientCertificate(user: string, groups: readonly string[]): Promise<KeyAndCertificate> {
    return this.#issue([...groups.map((group) => ({ O: [group] })), { CN: [user] }], [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])]);
  }

  async #issue(subject: x509.JsonName, extensions: x509.Extension[]): Promise<KeyAndCertificate> {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity(),
      subject,
      issuer: this.#certificate.subjectName,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        await x509.AuthorityKeyIdentifierExtension.create(this.#keys.publicKey),
        ...extensions,
      ],
    });
    const privateKey = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    return { certificatePem: certificate.toString('pem'), privateKeyPem: x509.PemConverter.encode(privateKey, 'PRIVATE KEY') };
  }
}

/** How audit events name the certificate of a request. */
export function certificateCredentialId(der: Buffer): string {
  return `X509SHA256=${createHash('sha256').update(der).digest('hex')}`;
}

function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - BACKDATING_MS), notAfter: new Date(now + LIFETIME_MS) };
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
