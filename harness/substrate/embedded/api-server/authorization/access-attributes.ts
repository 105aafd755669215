/** What a request wants to do, as an authorizer looks at it. */
export type AccessAttributes =
  | {
      readonly isResourceRequest: true;
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      /** Empty for cluster-scoped resources and for all namespaces. */
      readonly namespace: string;
      /** Empty for collections and creations. */
      readonly name: string;
    }
  | { readonly isResourceRequest: false; readonly verb: string; readonly path: string };

export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
}
