import type { SubresourceDefinition } from './resource-definition.ts';

export function statusSubresource(kind: string): SubresourceDefinition {
  return { name: 'status', verbs: ['get', 'patch', 'update'], kind };
}

export const SCALE_SUBRESOURCE: SubresourceDefinition = { name: 'scale', verbs: ['get', 'patch', 'update'], kind: 'Scale', group: 'autoscaling', version: 'v1' };
