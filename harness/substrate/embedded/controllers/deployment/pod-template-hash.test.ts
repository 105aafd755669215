import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PodTemplate } from '../runtime/objects.ts';
import { isSameTemplate, podTemplateHash } from './pod-template-hash.ts';

const template = {
  metadata: { labels: { app: 'web' }, annotations: { generation: 'one' } },
  spec: { containers: [{ name: 'main', image: 'app:1' }], terminationGracePeriodSeconds: 30 },
} satisfies PodTemplate;

describe('a Pod template', () => {
  it('is the same whatever the order of its keys, its hash label and its empty parts', () => {
    const same = {
      spec: { terminationGracePeriodSeconds: 30, securityContext: {}, containers: [{ image: 'app:1', name: 'main', resources: {} }], volumes: [] },
      metadata: { annotations: { generation: 'one' }, labels: { 'pod-template-hash': 'abc', app: 'web' } },
    };
    assert.ok(isSameTemplate(template, same));
    assert.equal(podTemplateHash(template, 0), podTemplateHash(same, 0));
  });

  it('is another one when an annotation or the order of containers changes', () => {
    const annotated = { ...template, metadata: { ...template.metadata, annotations: { generation: 'two' } } };
    assert.ok(!isSameTemplate(template, annotated));
    assert.notEqual(podTemplateHash(template, 0), podTemplateHash(annotated, 0));
    assert.notEqual(podTemplateHash(template, 0), podTemplateHash(template, 1));
  });

  it('has a hash that reads as Kubernetes writes it', () => assert.match(podTemplateHash(template, 0), /^[bcdfghjklmnpqrstvwxz2456789]{10}$/));
});
