import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Container, Pod, Secret } from '../../controllers/runtime/objects.ts';
import { ContainerConfigError, containerVariables, type EnvironmentSources } from './container-environment.ts';

const secret = { metadata: { name: 'pepper', namespace: 'ns' }, data: { KEY: Buffer.from('s3cret').toString('base64') } } as unknown as Secret;
const sources: EnvironmentSources = {
  pod: { metadata: { name: 'p', namespace: 'ns', uid: 'u-1', labels: { app: 'worker' } }, spec: { containers: [], serviceAccountName: 'sa' } } as unknown as Pod,
  place: { podIp: '127.70.1.10', nodeIp: '127.70.1.1' },
  secret: (name) => (name === 'pepper' ? secret : undefined),
  configMap: () => undefined,
};

function variables(container: Partial<Container>): Record<string, string> {
  return Object.fromEntries(containerVariables({ name: 'c', ...container }, { FROM_IMAGE: 'yes' }, sources));
}

describe('container variables', () => {
  it('come from the image, from whole Secrets, from literals and from fields, later ones first', () => {
    const env = [
      { name: 'UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
      { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'URL', value: 'http://$(IP):80/$(UNKNOWN)/$$(IP)' },
      { name: 'FROM_IMAGE', value: 'no' },
    ];
    assert.deepEqual(variables({ env, envFrom: [{ prefix: 'P_', secretRef: { name: 'pepper' } }] }), {
      FROM_IMAGE: 'no',
      P_KEY: 's3cret',
      UID: 'u-1',
      APP: 'worker',
      IP: '127.70.1.10',
      URL: 'http://127.70.1.10:80/$(UNKNOWN)/$(IP)',
    });
  });

  it('are not made from a missing Secret or key, unless that is optional', () => {
    const reference = (name: string, key: string, optional?: boolean): Partial<Container> => ({
      env: [{ name: 'X', valueFrom: { secretKeyRef: { name, key, ...(optional === undefined ? {} : { optional }) } } }],
    });
    assert.throws(() => variables(reference('absent', 'KEY')), (error) => error instanceof ContainerConfigError && error.message === 'secret "absent" not found');
    assert.throws(() => variables(reference('pepper', 'OTHER')), (error) => error instanceof ContainerConfigError && error.message === "couldn't find key OTHER in Secret ns/pepper");
    assert.deepEqual(variables(reference('absent', 'KEY', true)), { FROM_IMAGE: 'yes' });
    assert.deepEqual(variables(reference('pepper', 'KEY')), { FROM_IMAGE: 'yes', X: 's3cret' });
  });
});
