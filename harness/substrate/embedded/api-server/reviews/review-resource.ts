import type { ApiMachinery } from '../api-machinery.ts';
import type { ApiObject } from '../api-object.ts';
import type { UserInfo } from '../authentication/user-info.ts';

/** A resource that is answered and not kept: reviews of access and identity. */
export interface ReviewResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly model: string;
  readonly review: (machinery: ApiMachinery, user: UserInfo, request: ApiObject, namespace: string | null) => ApiObject | Promise<ApiObject>;
}
