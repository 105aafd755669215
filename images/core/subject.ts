import { subjectIdRule } from './identifiers.ts';
import { exactly, literal, type Rule } from './shape.ts';

/** Who acts: a person, a part of the product, or a Worker. */
export interface Subject {
  readonly type: 'user' | 'system' | 'worker';
  readonly id: string;
}

export interface UserSubject extends Subject {
  readonly type: 'user';
}

export const userSubjectRule: Rule<UserSubject> = exactly<UserSubject>({ type: literal('user'), id: subjectIdRule });

/** How strongly a user has proven who they are. `single_factor` is known, and never enough to manage credentials. */
export type Assurance = 'single_factor' | 'multi_factor' | 'hardware' | 'local_console';

const STRONG: ReadonlySet<string> = new Set(['multi_factor', 'hardware', 'local_console'] satisfies Assurance[]);

export function isStrongAssurance(assurance: string): boolean {
  return STRONG.has(assurance);
}

export const EXECUTOR_SUBJECT: Subject = Object.freeze({ type: 'system', id: 'cluster_worker_credential_executor' });
export const EXECUTOR_AUTHENTICATION_ID = 'cluster_worker_credential_executor_v1';
