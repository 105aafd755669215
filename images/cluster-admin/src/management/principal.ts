import { isSubjectId, isRequestId } from '../../../core/identifiers.ts';
import { isStrongAssurance, type Assurance, type UserSubject } from '../../../core/subject.ts';
import { ManagementError } from './management-error.ts';

/** A person as the caller has authenticated them. */
export interface Principal {
  readonly subject: UserSubject;
  readonly authenticationId: string;
  readonly assurance: Assurance;
  readonly sessionExpiresAtMs: number;
}

/** Credentials are managed by people, strongly authenticated, in a session that is still good. */
export function assertStrongPrincipal(principal: Principal, nowMs: number): void {
  const { subject, authenticationId, assurance, sessionExpiresAtMs } = principal;
  if (subject.type !== 'user' || !isSubjectId(subject.id) || !isRequestId(authenticationId)) {
    throw new ManagementError('QL3_MANAGEMENT_PRINCIPAL_WEAK', 'principal: expected a user with an id and an authentication id');
  }
  if (!isStrongAssurance(assurance)) {
    throw new ManagementError(
      'QL3_MANAGEMENT_PRINCIPAL_WEAK',
      `principal ${subject.id}: expected assurance multi_factor, hardware or local_console, got ${assurance}`,
    );
  }
  if (!(sessionExpiresAtMs > nowMs)) {
    throw new ManagementError('QL3_MANAGEMENT_PRINCIPAL_EXPIRED', `principal ${subject.id}: the session has expired, authenticate again`);
  }
}
