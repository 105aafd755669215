import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readControlSettings } from './control-configuration.ts';

const valid = {
  QL3_CLUSTER_CONTROL_ENABLED: 'true',
  QL3_CLUSTER_CONTROL_TLS_CERTIFICATE_FILE: '/etc/ql3/tls.crt',
  QL3_CLUSTER_CONTROL_TLS_PRIVATE_KEY_FILE: '/etc/ql3/tls.key',
  QL3_CLUSTER_CONTROL_CLIENT_CA_FILE: '/etc/ql3/ca.crt',
  QL3_CLUSTER_CONTROL_PEPPER_FILE: '/etc/ql3/pepper',
};

function subjectsOf(changes: Record<string, string | undefined>): string[] {
  return readControlSettings({ ...valid, ...changes }).problems.map(({ subject }) => subject.replace('QL3_CLUSTER_CONTROL_', ''));
}

describe('the configuration', () => {
  it('has its ports and address by default', () => {
    const { settings, problems } = readControlSettings(valid);
    assert.deepEqual(problems, []);
    assert.deepEqual(settings.listeners, { host: '0.0.0.0', healthPort: 5800, ingressPort: 5801 });
    assert.equal(settings.trustFiles.clientRevocations, null);
  });

  it('is reported whole when everything is wrong', () => {
    const nothing = Object.fromEntries(Object.keys(valid).map((name) => [name, undefined]));
    const wrong = { QL3_CLUSTER_CONTROL_HEALTH_PORT: '65536', QL3_CLUSTER_CONTROL_LISTEN_HOST: 'localhost', QL3_CLUSTER_CONTROL_CLIENT_CRL_FILE: './crl' };
    assert.deepEqual(subjectsOf({ ...nothing, ...wrong }), [
      'ENABLED', 'LISTEN_HOST', 'HEALTH_PORT', 'TLS_CERTIFICATE_FILE', 'TLS_PRIVATE_KEY_FILE', 'CLIENT_CA_FILE', 'CLIENT_CRL_FILE', 'PEPPER_FILE',
    ]);
  });

  it('refuses a misspelt variable, and lets those of a Kubernetes Service pass', () => {
    assert.deepEqual(subjectsOf({ QL3_CLUSTER_CONTROL_CLIENT_CRLFILE: '/etc/ql3/crl' }), ['CLIENT_CRLFILE']);
    assert.deepEqual(subjectsOf({ QL3_CLUSTER_CONTROL_SERVICE_HOST: '10.0.0.1', QL3_CLUSTER_CONTROL_PORT_5801_TCP: 'tcp://10.0.0.1:5801' }), []);
  });

  it('needs two different ports', () => {
    assert.deepEqual(subjectsOf({ QL3_CLUSTER_CONTROL_HEALTH_PORT: '5801' }), ['INGRESS_PORT']);
    assert.deepEqual(subjectsOf({ QL3_CLUSTER_CONTROL_HEALTH_PORT: '0', QL3_CLUSTER_CONTROL_INGRESS_PORT: '0' }), []);
  });

  it('is only enabled on purpose', () => {
    assert.deepEqual(subjectsOf({ QL3_CLUSTER_CONTROL_ENABLED: '1' }), ['ENABLED']);
  });
});
