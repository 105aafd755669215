/** Who makes a request, as authentication found out. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const MASTERS = 'system:masters';
const AUTHENTICATED = 'system:authenticated';

export function authenticated(user: UserInfo): UserInfo {
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}

export function serviceAccountUsername(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** The account a username stands for, or null when it is no service account's. */
export function parseServiceAccountUsername(username: string): { namespace: string; name: string } | null {
  const match = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username);
  return match === null ? null : { namespace: match[1] as string, name: match[2] as string };
}
