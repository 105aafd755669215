import 'reflect-metadata';
import { randomBytes, type webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING_ALGORITHM = { name: 'ECDSA', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

x509.cryptoProvider.set(globalThis.crypto);

/** A certificate with its key, as PEM, and the serial number by which it can be revoked. */
export interface TestIdentity {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  readonly serialNumber: string;
}

export interface LeafOptions {
  readonly commonName: string;
  readonly usage: 'server' | 'client';
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

export interface RevocationOptions {
  readonly revoked?: readonly TestIdentity[];
  readonly thisUpdate?: Date;
  readonly nextUpdate?: Date;
}

/** A throw-away certificate authority for tests of mutual TLS: issues leaves and revocation lists. */
export class TestAuthority {
  readonly certificatePem: string;
  readonly #certificate: x509.X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(certificate: x509.X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.#certificate = certificate;
    this.#keys = keys;
    this.certificatePem = toPem('CERTIFICATE', certificate.rawData);
  }

  static async create(commonName = 'test authority'): Promise<TestAuthority> {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: serialNumber(),
      name: `CN=${commonName}`,
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + DAY_MS),
      signingAlgorithm: SIGNING_ALGORITHM,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 1, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new TestAuthority(certificate, keys);
  }

  async issue(options: LeafOptions): Promise<TestIdentity> {
    const keys = await generateKeys();
    const serial = serialNumber();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serial,
      subject: `CN=${options.commonName}`,
      issuer: this.#certificate.subject,
      notBefore: options.notBefore ?? new Date(Date.now() - 60_000),
      notAfter: options.notAfter ?? new Date(Date.now() + DAY_MS / 2),
      signingAlgorithm: SIGNING_ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([options.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth]),
        await x509.AuthorityKeyIdentifierExtension.create(this.#keys.publicKey),
        ...alternativeNames(options),
      ],
    });
    return { certificatePem: toPem('CERTIFICATE', certificate.rawData), privateKeyPem: await privateKeyPem(keys.privateKey), serialNumber: serial };
  }

  async revocationList(options: RevocationOptions = {}): Promise<string> {
    const list = await x509.X509CrlGenerator.create({
      issuer: this.#certificate.subject,
      thisUpdate: options.thisUpdate ?? new Date(Date.now() - 60_000),
      nextUpdate: options.nextUpdate ?? new Date(Date.now() + DAY_MS / 2),
      signingAlgorithm: SIGNING_ALGORITHM,
      signingKey: this.#keys.privateKey,
      entries: (options.revoked ?? []).map((identity) => ({ serialNumber: identity.serialNumber, revocationDate: new Date(Date.now() - 30_000) })),
    });
    return toPem('X509 CRL', list.rawData); // the library's own label, CRL, is not one that OpenSSL reads
  }
}

function alternativeNames({ dnsNames = [], addresses = [] }: LeafOptions): x509.Extension[] {
  const names: x509.JsonGeneralNames = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...addresses.map((value) => ({ type: 'ip' as const, value })),
  ];
  return names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)];
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await crypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
}

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  return toPem('PRIVATE KEY', await crypto.subtle.exportKey('pkcs8', key));
}

/** Positive, as RFC 5280 section 4.1.2.2 demands. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = 0x40 | (bytes[0]! & 0x3f);
  return bytes.toString('hex');
}

function toPem(label: string, der: ArrayBuffer): string {
  const lines = Buffer.from(der).toString('base64').replaceAll(/(.{64})(?=.)/gu, '$1\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
