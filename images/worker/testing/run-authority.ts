import 'reflect-metadata';

import { webcrypto } from 'node:crypto';

import * as x509 from '@peculiar/x509';

type KeyPair = webcrypto.CryptoKeyPair;

x509.cryptoProvider.set(webcrypto);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

export interface IssuedPair {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** A throw-away certificate authority for one test. */
export class RunAuthority {
  readonly certificatePem: string;
  readonly #certificate: x509.X509Certificate;
  readonly #keys: KeyPair;
  #serial = 1;

  private constructor(certificate: x509.X509Certificate, keys: KeyPair) {
    this.#certificate = certificate;
    this.#keys = keys;
    this.certificatePem = `${certificate.toString('pem')}\n`;
  }

  static async create(name: string): Promise<RunAuthority> {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      keys,
      serialNumber: '01',
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + DAY_MS),
      signingAlgorithm: ALGORITHM,
      extensions: [new x509.BasicConstraintsExtension(true, 0, true), new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true)],
    });
    return new RunAuthority(certificate, keys);
  }

  async issueServer(hostname: string): Promise<IssuedPair> {
    return await this.#issue(hostname, x509.ExtendedKeyUsage.serverAuth, [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: hostname }])]);
  }

  async issueClient(name: string): Promise<IssuedPair> {
    return await this.#issue(name, x509.ExtendedKeyUsage.clientAuth, []);
  }

  async #issue(name: string, usage: x509.ExtendedKeyUsage, extensions: x509.Extension[]): Promise<IssuedPair> {
    const keys = await generateKeys();
    this.#serial += 1;
    const certificate = await x509.X509CertificateGenerator.create({
      subject: `CN=${name}`,
      issuer: this.#certificate.subject,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      serialNumber: this.#serial.toString(16).padStart(2, '0'),
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + DAY_MS),
      signingAlgorithm: ALGORITHM,
      extensions: [new x509.ExtendedKeyUsageExtension([usage]), ...extensions],
    });
    const exported = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
    return { certificatePem: `${certificate.toString('pem')}\n`, privateKeyPem: `-----BEGIN PRIVATE KEY-----\n${exported.match(/.{1,64}/g)?.join('\n')}\n-----END PRIVATE KEY-----\n` };
  }
}

async function generateKeys(): Promise<KeyPair> {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
