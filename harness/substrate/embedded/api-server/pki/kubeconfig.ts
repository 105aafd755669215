import { stringify } from 'yaml';
import type { KeyAndCertificate } from './certificate-authority.ts';

/** A kubeconfig with everything in it, for a user with a client certificate. */
export function clientKubeconfig(url: string, caPem: string, user: string, identity: KeyAndCertificate): string {
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'embedded', cluster: { server: url, 'certificate-authority-data': base64(caPem) } }],
    users: [{ name: user, user: { 'client-certificate-data': base64(identity.certificatePem), 'client-key-data': base64(identity.privateKeyPem) } }],
    contexts: [{ name: 'embedded', context: { cluster: 'embedded', user } }],
    'current-context': 'embedded',
  });
}
