import type { V1NodeSpec, V1NodeStatus } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { AGE, NAME, part, text } from '../../printing/common-columns.ts';
import { defineResource } from '../define-resource.ts';
import { statusSubresource } from '../status-subresource.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';

export const NODE = defineResource({
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
  shortNames: ['no'],
  hasStatus: true,
  subresources: [statusSubresource('Node')],
  columns: [
    NAME,
    text('Status', readiness),
    text('Roles', (node) => Object.keys(node.metadata.labels ?? {}).filter((label) => label.startsWith(ROLE_PREFIX)).map((label) => label.slice(ROLE_PREFIX.length)).toSorted().join(',') || '<none>'),
    AGE,
    text('Version', (node) => statusOf(node).nodeInfo?.kubeletVersion ?? ''),
    text('Internal-IP', (node) => addressOf(node, 'InternalIP'), 1),
    text('External-IP', (node) => addressOf(node, 'ExternalIP'), 1),
    text('OS-Image', (node) => statusOf(node).nodeInfo?.osImage || '<unknown>', 1),
    text('Kernel-Version', (node) => statusOf(node).nodeInfo?.kernelVersion || '<unknown>', 1),
    text('Container-Runtime', (node) => statusOf(node).nodeInfo?.containerRuntimeVersion || '<unknown>', 1),
  ],
  strategy: {
    setDefaults: (draft) => {
      draft['spec'] ??= {};
    },
    selectableFields: (node) => ({ 'spec.unschedulable': String(part<V1NodeSpec>(node, 'spec').unschedulable ?? false) }),
  },
});

function statusOf(node: ApiObject): Partial<V1NodeStatus> {
  return part<V1NodeStatus>(node, 'status');
}

function readiness(node: ApiObject): string {
  const ready = (statusOf(node).conditions ?? []).find(({ type }) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return part<V1NodeSpec>(node, 'spec').unschedulable === true ? `${word},SchedulingDisabled` : word;
}

function addressOf(node: ApiObject, type: string): string {
  return (statusOf(node).addresses ?? []).find((address) => address.type === type)?.address ?? '<none>';
}
