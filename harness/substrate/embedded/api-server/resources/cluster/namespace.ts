import type { V1NamespaceSpec, V1NamespaceStatus } from '@kubernetes/client-node';
import { AGE, NAME, part, text } from '../../printing/common-columns.ts';
import { dnsLabelFaults } from '../../validation/name-grammar.ts';
import { defineResource } from '../define-resource.ts';
import { statusSubresource } from '../status-subresource.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';

export const NAMESPACE = defineResource({
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
  shortNames: ['ns'],
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  hasStatus: true,
  subresources: [{ name: 'finalize', verbs: ['update'], kind: 'Namespace' }, statusSubresource('Namespace')],
  columns: [NAME, text('Status', (namespace) => part<V1NamespaceStatus>(namespace, 'status').phase ?? ''), AGE],
  strategy: {
    validateName: dnsLabelFaults,
    setDefaults: (draft) => {
      draft['spec'] ??= {};
      draft.metadata.labels = { ...draft.metadata.labels, [NAME_LABEL]: draft.metadata.name ?? '' };
    },
    prepareForCreate: (draft) => {
      draft.metadata.labels = { ...draft.metadata.labels, [NAME_LABEL]: draft.metadata.name ?? '' };
      const spec = draft['spec'] as V1NamespaceSpec;
      spec.finalizers = [...new Set([...(spec.finalizers ?? []), 'kubernetes'])];
      draft['status'] = { phase: 'Active' };
    },
    // Only the subresource finalize changes the finalizers of a namespace's spec.
    prepareForUpdate: (draft, previous) => {
      draft['spec'] = structuredClone(previous['spec']);
    },
    selectableFields: (namespace) => ({ 'status.phase': part<V1NamespaceStatus>(namespace, 'status').phase ?? '' }),
  },
});
