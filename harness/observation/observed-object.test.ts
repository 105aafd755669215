import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toObservedObject } from './observed-object.ts';

test('of a Secret only the names of its keys are written down', () => {
  const observed = toObservedObject({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', uid: 'u', resourceVersion: '7', managedFields: [{ manager: 'x' }], annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"b":"c2VjcmV0"}}', keep: 'it' } },
    type: 'Opaque',
    data: { b: 'c2VjcmV0', a: 'eA==' },
    stringData: { c: 'secret' },
  } as object);
  assert.deepEqual(observed, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', uid: 'u', resourceVersion: '7', annotations: { keep: 'it' } },
    type: 'Opaque',
    dataKeys: ['a', 'b', 'c'],
  });
});

test('other objects keep their data, and the given object is not changed', () => {
  const raw = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', uid: 'u', resourceVersion: '7', managedFields: [] }, data: { key: 'value' } };
  const before = structuredClone(raw);
  assert.deepEqual(toObservedObject(raw)['data'], { key: 'value' });
  assert.deepEqual(raw, before);
});
