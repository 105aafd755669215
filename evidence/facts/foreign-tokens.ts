import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { CONTRACT_NAMES, PROBE_NAMES } from '../contract-names.ts';
import { HOST_ISSUER, JOB_ISSUER, RECOVERY_ISSUER } from '../identities.ts';
import { administrator, isTokenRequest, requests, succeeded, within, type Request, type Window } from './audit.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import { probeResult, probeResults } from './probe-results.ts';
import { wasAskedByANode } from './token-lifetimes.ts';

export type ForbiddenVerb = 'delivery-forbidden-verb' | 'executor-forbidden-verb';

/** Tokens of the delivery's account, and of the probes', that none of their issuers obtained. */
export const foreignDeliveryTokens = fact((run: ObservedRun): readonly Request[] => [
  ...withoutMinting(run, 'delivery-forbidden-verb', tokensOf(run, CONTRACT_NAMES.stageNamespace, CONTRACT_NAMES.deliveryServiceAccount).filter(({ identity }) => ![HOST_ISSUER, JOB_ISSUER, RECOVERY_ISSUER].includes(identity))),
  ...tokensOf(run, PROBE_NAMES.stageNamespace, PROBE_NAMES.deliveryServiceAccount).filter(({ identity }) => identity !== PROBE_NAMES.issuerUser && identity !== PROBE_NAMES.recoveryUser),
]);

/** Tokens of the executor's account that no node obtained for a Pod. */
export const foreignExecutorTokens = fact((run: ObservedRun): readonly Request[] =>
  withoutMinting(run, 'executor-forbidden-verb', tokensOf(run, CONTRACT_NAMES.executorNamespace, CONTRACT_NAMES.executorServiceAccount).filter((request) => !wasAskedByANode(request))),
);

function tokensOf(run: ObservedRun, namespace: string, account: string): readonly Request[] {
  return requests(run).filter((request) => isTokenRequest(request, namespace, account) && succeeded(request));
}

/** The token with which the administrator lets the account ask for what is forbidden. */
export function mintedToken(run: ObservedRun, probe: ForbiddenVerb): Request | null {
  const [namespace, account] = probe === 'delivery-forbidden-verb' ? [CONTRACT_NAMES.stageNamespace, CONTRACT_NAMES.deliveryServiceAccount] : [CONTRACT_NAMES.executorNamespace, CONTRACT_NAMES.executorServiceAccount];
  const window = mintingOf(run, probe);
  return tokensOf(run, namespace, account).find((request) => window !== null && request.identity === administrator(run) && within(request, window)) ?? null;
}

function withoutMinting(run: ObservedRun, probe: ForbiddenVerb, tokens: readonly Request[]): readonly Request[] {
  const minted = mintedToken(run, probe);
  return tokens.filter((request) => request !== minted);
}

/** While the probe lasts, or in the pause before, since the forbidden statements: earlier harnesses made both tokens there. */
function mintingOf(run: ObservedRun, probe: ForbiddenVerb): Window | null {
  const window = probeResult(run, probe)?.window;
  if (window === undefined) return null;
  const ends = probeResults(run, 'database-forbidden-statement').map(({ window: { toMs } }) => toMs - 2 * CLOCK_BOUND_MS).filter((toMs) => toMs < window.fromMs);
  return { fromMs: ends.length === 0 ? window.fromMs : Math.max(...ends), toMs: window.toMs };
}
