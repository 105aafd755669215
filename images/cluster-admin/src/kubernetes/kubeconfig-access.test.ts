import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { toClusterAccess } from './kubeconfig-access.ts';

const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const base64 = (value: string): string => Buffer.from(value).toString('base64');

interface Parts {
  readonly cluster: Record<string, unknown>;
  readonly user: Record<string, unknown>;
}

const VALID: Parts = {
  cluster: { server: 'https://127.0.0.1:6443', 'certificate-authority-data': base64(CA) },
  user: { token: 'a-token', as: 'operator' },
};

function kubeconfig({ cluster, user }: Parts): KubeConfig {
  const config = new KubeConfig();
  config.loadFromString(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster }],
      users: [{ name: 'u', user }],
    }),
  );
  return config;
}

describe('kubeconfig access', () => {
  test('https with a CA, a token and an impersonated user', () => {
    assert.deepEqual(toClusterAccess(kubeconfig(VALID)), {
      server: 'https://127.0.0.1:6443',
      caPem: CA,
      tlsServerName: null,
      identity: { kind: 'bearer', token: 'a-token' },
      impersonateUser: 'operator',
    });
  });

  const faults: Record<string, Partial<Parts>> = {
    server_not_https: { cluster: { ...VALID.cluster, server: 'http://127.0.0.1:6443' } },
    server_url_has_credentials: { cluster: { ...VALID.cluster, server: 'https://user:password@127.0.0.1:6443' } },
    tls_verification_skipped: { cluster: { ...VALID.cluster, 'insecure-skip-tls-verify': true } },
    certificate_authority_missing: { cluster: { server: VALID.cluster['server'] } },
    proxy_not_supported: { cluster: { ...VALID.cluster, 'proxy-url': 'http://proxy:3128' } },
    identity_not_supported: { user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh' } } },
    identity_missing: { user: {} },
  };
  for (const [fault, change] of Object.entries(faults)) {
    test(`${fault} is refused without a word of its secrets`, () => {
      assert.throws(
        () => toClusterAccess(kubeconfig({ ...VALID, ...change })),
        (error: Error & { fault: string }) => error.fault === fault && !/password@|a-token/.test(error.message),
      );
    });
  }

  test('a password, an empty CA and a CA file that is not there are refused', () => {
    assert.throws(() => toClusterAccess(kubeconfig({ ...VALID, user: { username: 'u', password: 'p' } })), { fault: 'identity_not_supported' });
    const empty = { ...VALID.cluster, 'certificate-authority-data': base64('not a certificate') };
    assert.throws(() => toClusterAccess(kubeconfig({ ...VALID, cluster: empty })), { fault: 'certificate_authority_missing' });
    const absent = { server: VALID.cluster['server'], 'certificate-authority': '/absent/ca.crt' };
    assert.throws(() => toClusterAccess(kubeconfig({ ...VALID, cluster: absent })), { fault: 'file_unreadable' });
  });
});
