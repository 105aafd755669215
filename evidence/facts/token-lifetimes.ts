import { CONTRACT_NAMES } from '../contract-names.ts';
import { isTokenRequest, requests, succeeded, within, type Request } from './audit.ts';
import { lifetimeOf, type ExecutorJob } from './executor-jobs.ts';
import { fact, type ObservedRun } from './observed-run.ts';

/** How long a token of this contract may live. */
export const TOKEN_SECONDS = 600;

/** From this minor version on, the API server is known to write down a TokenRequest's body, which 1.20 cannot encode, and the token's id of each request under one (KEP-4193, GA in 1.32). */
const TELLS_OF_TOKENS_FROM_MINOR = 34;

/** Whether API server or node say that they are of such a version. */
export const tellsOfTokens = fact((run: ObservedRun): boolean => [run.last('platform.version')?.body.gitVersion, ...run.of('platform.node').map(({ body }) => body.kubeletVersion)].some(isTelling));

/**
 * Whether the API server must have written down what each TokenRequest asked for: one that does it once does it always. Logs of the
 * first version have the askers' word alone.
 */
export const mustShowQuestions = fact((run: ObservedRun): boolean => (run.last('run.started')?.body.logVersion ?? 1) >= 2 && (tellsOfTokens(run) || requests(run).some(({ event }) => event.tokenRequest !== undefined)));

function isTelling(version: string | undefined): boolean {
  const [, major = '', minor = ''] = /^v?(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  return Number(major) === 1 && Number(minor) >= TELLS_OF_TOKENS_FROM_MINOR;
}

function askedSeconds({ event }: Request): number | null {
  return event.tokenRequest?.expirationSeconds ?? null;
}

/** Whether a token was asked for as the contract has it, for so long and for the API server alone. What was not written down counts only where it cannot have been. */
export function isShortLived(run: ObservedRun, { event: { tokenRequest } }: Request): boolean {
  if (tokenRequest === undefined) return !mustShowQuestions(run);
  return tokenRequest.expirationSeconds === TOKEN_SECONDS && tokenRequest.audiences.length === 0;
}

/** How long the tokens were asked to live, of each request that says so; null of one that does not and must. */
export function secondsAsked(run: ObservedRun, asked: readonly Request[]): readonly (number | null)[] {
  return asked.filter(({ event }) => event.tokenRequest !== undefined || mustShowQuestions(run)).map(askedSeconds);
}

const ofExecutor = fact((run: ObservedRun) => requests(run).filter((request) => isTokenRequest(request, CONTRACT_NAMES.executorNamespace, CONTRACT_NAMES.executorServiceAccount) && succeeded(request)));

/** What the node asked for on behalf of one Pod of the executor: where it is not written down for which, what it asked while that Pod lived. */
export function tokensOfPod(run: ObservedRun, job: ExecutorJob): readonly Request[] {
  const [{ pod }, lifetime] = [job, lifetimeOf(job)];
  if (mustShowQuestions(run)) return pod === null ? [] : ofExecutor(run).filter(({ event }) => event.tokenRequest?.boundPodUid === pod.uid);
  return lifetime === null ? [] : ofExecutor(run).filter((request) => wasAskedByANode(request) && within(request, lifetime));
}

export function wasAskedByANode({ event }: Request): boolean {
  return event.user.startsWith('system:node:') && event.impersonatedUser === null;
}
