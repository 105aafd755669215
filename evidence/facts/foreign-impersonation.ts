import { CONTRACT_NAMES, PROBE_NAMES } from '../contract-names.ts';
import { administrator, auditedStages, type Request } from './audit.ts';
import { fact, type ObservedRun } from './observed-run.ts';

/** Users whom the administrator stands in for, since they have no credentials of their own. An account of the cluster has a token and is nobody to stand in for. */
const IMPERSONATED = new Set<string | null>([CONTRACT_NAMES.issuerUser, CONTRACT_NAMES.recoveryUser, PROBE_NAMES.issuerUser, PROBE_NAMES.recoveryUser]);

/** Requests of anybody in another's name, but of the administrator in the name of the users who ask for tokens on the host. */
export const foreignImpersonations = fact((run: ObservedRun): readonly Request[] =>
  auditedStages(run).filter(({ event: { user, impersonatedUser } }) => impersonatedUser !== null && (user !== administrator(run) || !IMPERSONATED.has(impersonatedUser))),
);
