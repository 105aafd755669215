import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { X509CertificateGenerator, SubjectAlternativeNameExtension } from '@peculiar/x509';

/** A self-signed certificate for 127.0.0.1, which is its own authority. */
export async function createTestAuthority(): Promise<{ certificatePem: string; privateKeyPem: string }> {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: 'CN=test',
      keys,
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
    },
    webcrypto,
  );
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return { certificatePem: certificate.toString('pem'), privateKeyPem: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n` };
}
