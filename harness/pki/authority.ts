import 'reflect-metadata';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
  X509CrlGenerator,
  X509CrlReason,
} from '@peculiar/x509';
import { createHash, randomBytes, webcrypto } from 'node:crypto';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const LIFE_MS = 24 * 60 * 60 * 1000;
/** Clocks of the run's containers may be a little behind. */
const BACKDATE_MS = 5 * 60 * 1000;

/** PEM texts; the key is PKCS #8. */
export interface Identity {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  /** SHA-256 of the certificate's DER, lower-case hex. */
  readonly fingerprint: string;
  /** Hex, as the certificate carries it. */
  readonly serial: string;
}

/** A certification authority that lives for one run and only in memory. P-256, 24 hours. */
export class Authority {
  readonly certificatePem: string;
  readonly #certificate: X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.#certificate = certificate;
    this.#keys = keys;
    this.certificatePem = toPem('CERTIFICATE', certificate.rawData);
  }

  static async create(commonName: string): Promise<Authority> {
    const keys = await generateKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      serialNumber: randomSerial(),
      name: `CN=${commonName}`,
      ...validity(),
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new Authority(certificate, keys);
  }

  async issueServer(commonName: string, names: { readonly dns: readonly string[]; readonly ip?: readonly string[] }): Promise<Identity> {
    return await this.#issue(commonName, ExtendedKeyUsage.serverAuth, [
      new SubjectAlternativeNameExtension([...names.dns.map((value) => ({ type: 'dns' as const, value })), ...(names.ip ?? []).map((value) => ({ type: 'ip' as const, value }))]),
    ]);
  }

  async issueClient(commonName: string): Promise<Identity> {
    return await this.#issue(commonName, ExtendedKeyUsage.clientAuth, []);
  }

  /** A complete list, PEM, that revokes exactly these serials (RFC 5280 section 5). */
  async revoke(serials: readonly string[]): Promise<string> {
    const now = Date.now();
    const crl = await X509CrlGenerator.create({
      issuer: this.#certificate.subject,
      thisUpdate: new Date(now - BACKDATE_MS),
      nextUpdate: new Date(now + LIFE_MS),
      entries: serials.map((serialNumber) => ({ serialNumber, revocationDate: new Date(now - BACKDATE_MS), reason: X509CrlReason.superseded })),
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [await AuthorityKeyIdentifierExtension.create(this.#keys.publicKey)],
    });
    return toPem('X509 CRL', crl.rawData);
  }

  async #issue(commonName: string, usage: ExtendedKeyUsage, extensions: readonly SubjectAlternativeNameExtension[]): Promise<Identity> {
    const keys = await generateKeys();
    const certificate = await X509CertificateGenerator.create({
      serialNumber: randomSerial(),
      subject: `CN=${commonName}`,
      issuer: this.#certificate.subject,
      ...validity(),
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([usage]),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
        await AuthorityKeyIdentifierExtension.create(this.#keys.publicKey),
        ...extensions,
      ],
    });
    return {
      certificatePem: toPem('CERTIFICATE', certificate.rawData),
      privateKeyPem: toPem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)),
      fingerprint: createHash('sha256').update(Buffer.from(certificate.rawData)).digest('hex'),
      serial: certificate.serialNumber,
    };
  }
}

function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - BACKDATE_MS), notAfter: new Date(now + LIFE_MS) };
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

/** 16 bytes, positive (RFC 5280 section 4.1.2.2). */
function randomSerial(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x7f) | 0x40, 0);
  return bytes.toString('hex');
}

/** RFC 7468; the library labels a CRL otherwise than OpenSSL and Node expect. */
function toPem(label: string, der: ArrayBuffer): string {
  const lines = Buffer.from(der).toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
