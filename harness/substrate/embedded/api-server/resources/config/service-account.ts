import { AGE, count, NAME } from '../../printing/common-columns.ts';
import { defineResource } from '../define-resource.ts';

export const SERVICE_ACCOUNT = defineResource({
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  shortNames: ['sa'],
  subresources: [{ name: 'token', verbs: ['create'], kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1' }],
  strategy: { returnsDeletedObject: true },
  columns: [NAME, count('Secrets', (account) => ((account['secrets'] ?? []) as unknown[]).length), AGE],
});
