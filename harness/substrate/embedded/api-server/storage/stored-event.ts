import type { ApiObject } from '../api-object.ts';

/** One change of the store; `previous` is null for ADDED, and `object` carries the revision of the change, also when DELETED. */
export interface StoredEvent {
  readonly revision: number;
  readonly resource: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ApiObject;
  readonly previous: ApiObject | null;
}
