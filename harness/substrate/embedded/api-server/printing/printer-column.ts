import type { ApiObject } from '../api-object.ts';

/** A column of the table that `kubectl get` prints; priority 1 columns show with `-o wide` only. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly format?: string;
  readonly description?: string;
  readonly priority?: 0 | 1;
  readonly value: (object: ApiObject) => string | number;
}
