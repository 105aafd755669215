import { STAGE_SECRET_PREFIX } from '../annotations.ts';
import { CLOCK_BOUND_MS } from '../clock-bound.ts';
import { CONTRACT_NAMES } from '../contract-names.ts';
import { HOST_ISSUER } from '../identities.ts';
import { instantMs } from '../instants.ts';
import type { Generation, ObservationBodies } from '../observation.ts';
import { judged, rule, type Rule } from '../verdict.ts';
import { actionChains, deliveries, publishedRow } from './actions.ts';
import { groupBy } from './group-by.ts';
import { watchedStates } from './objects.ts';
import { fact, type ObservedRun } from './observed-run.ts';
import { numberIn, textIn } from './rows.ts';
import { tokenRequests, tokenSessions } from './token-sessions.ts';

/** Generations that are executed on the host, each once freshly and once as an exact replay. */
export const HOST_GENERATIONS: readonly Generation[] = [1, 2, 4];

/** How often the host's caller was asked again whether it may go on, for the action that the database knows of that generation. */
export const hostAuthorizationRechecks = fact((run: ObservedRun): number => run.of('action.authorization-confirmed').filter(({ body }) => body.actionRef === actionRefOf(run, body.generation)).length);

function actionRefOf(run: ObservedRun, generation: Generation): string | null {
  return textIn(actionChains(run)[generation - 1]?.plan, 'action_ref');
}

/** Each host action asked twice when fresh and once on its replay, and the replay answered `existing` without a token. */
export const hostReplaysUsedNoToken = judged((run: ObservedRun) => [...HOST_GENERATIONS.flatMap((generation) => hostRules(run, generation)), onHostAlone(run)]);

function onHostAlone(run: ObservedRun): Rule {
  const told = [...run.of('action.completed'), ...run.of('action.authorization-confirmed'), ...run.of('action.token-session')];
  return rule(`the host tells of generations ${HOST_GENERATIONS.join(', ')} alone`, told.every(({ body }) => HOST_GENERATIONS.includes(body.generation)), told);
}

function hostRules(run: ObservedRun, generation: Generation): Rule[] {
  const completed = run.of('action.completed').filter(({ body }) => body.generation === generation);
  const [fresh, replay] = [completed.filter(({ body }) => !body.replay), completed.filter(({ body }) => body.replay)];
  const chain = actionChains(run)[generation - 1];
  const published = chain === undefined ? null : publishedRow(chain);
  const actionRef = actionRefOf(run, generation);
  const asked = run.of('action.authorization-confirmed').filter(({ body }) => body.generation === generation);
  const purposes = (replayed: boolean): string => asked.filter(({ body }) => body.replay === replayed).map(({ body }) => body.purpose).join();
  return [
    rule(`action ${generation} was executed and replayed once on the host`, fresh.length === 1 && replay.length === 1 && (fresh[0]?.seq ?? 0) < (replay[0]?.seq ?? 0), completed),
    rule(`the execution of action ${generation} used a token request, its replay did not`, fresh[0]?.body.output.tokenRequestUsed === true && replay[0]?.body.output.tokenRequestUsed === false, completed),
    rule(`action ${generation} succeeded and was published when it was executed, and existed when it was replayed`, completed.every(({ body }) => isOutcome(body)), completed),
    rule(
      `both tell the action, the delivery and the publication of generation ${generation} that the database has`,
      completed.every(({ body: { output, ...told } }) => output.actionRef === actionRef && output.dispatchId === textIn(chain?.dispatch, 'dispatch_id') && told.deliveryId === textIn(published, 'delivery_id') && told.credentialId === textIn(published, 'credential_id') && told.publicationDigest === textIn(published, 'publication_digest')),
      [...completed, chain?.dispatch, published],
    ),
    rule(`the database had the execution of generation ${generation} completed when the host told so`, numberIn(chain?.execution, 'completed_at_ms') <= instantMs(fresh[0]?.at) + CLOCK_BOUND_MS, [...fresh, chain?.execution]),
    rule(`authorization was asked for action ${generation} by its name`, asked.every(({ body }) => body.actionRef === actionRef), [...asked, chain?.plan]),
    rule(`authorization for action ${generation} was confirmed before execution and before authority, for the replay before execution alone`, purposes(false) === 'before_execution,before_authority' && purposes(true) === 'before_execution', asked),
    rule(`before authority was used for action ${generation}, authorization was confirmed: after the approval's consumption, before the token request`, wasAskedInTime(run, generation), asked),
    rule(`no token was requested on the host while action ${generation} was replayed`, noTokenBetween(run, fresh[0]?.at, replay[0]?.at), [...completed, ...tokenRequests(run)]),
  ];
}

function isOutcome({ replay, output }: ObservationBodies['action.completed']): boolean {
  return replay ? output.executionStatus === 'existing' && output.deliveryStatus === 'existing' : output.executionStatus === 'succeeded' && output.deliveryStatus === 'published';
}

/** Recovery passes looked at each of the contract's deliveries once, and tell of each what the ledger has. */
export const recoveryToldTheLedger = fact((run: ObservedRun): boolean => {
  const told = run.of('action.recovery-session').flatMap(({ body }) => body.deliveries);
  const ledger = groupBy(deliveries(run), (row) => textIn(row, 'delivery_id'));
  const isKnown = ({ deliveryId, status }: (typeof told)[number]): boolean => {
    const rows = ledger.get(deliveryId) ?? [];
    const isGone = (): boolean => watchedStates(run, 'Secret', CONTRACT_NAMES.stageNamespace, STAGE_SECRET_PREFIX + deliveryId.replaceAll('-', '')).at(-1)?.body.type === 'DELETED';
    const wasObserved = rows.some((row) => numberIn(row, 'version') >= 3);
    return rows.length > 0 && (status === 'completed' ? wasObserved && isGone() : status === 'superseded' ? !wasObserved && isGone() : status === 'waiting_observation' || status === 'published');
  };
  return told.length === ledger.size && new Set(told.map(({ deliveryId }) => deliveryId)).size === told.length && told.every(isKnown);
});

/** By the harness's clock, the questions of the fresh execution lie where the database and the API server say that they must. */
function wasAskedInTime(run: ObservedRun, generation: Generation): boolean {
  const consumedMs = numberIn(actionChains(run)[generation - 1]?.request, 'consumed_at_ms');
  const requestedMs = tokenSessions(run).find((session) => session.generation === generation)?.request.receivedMs ?? NaN;
  const askedMs = (purpose: string): number =>
    instantMs(run.of('action.authorization-confirmed').find(({ body }) => body.generation === generation && !body.replay && body.purpose === purpose)?.at);
  const [first, second] = [askedMs('before_execution'), askedMs('before_authority')];
  return first <= consumedMs + CLOCK_BOUND_MS && second >= consumedMs - CLOCK_BOUND_MS && second <= requestedMs + CLOCK_BOUND_MS;
}

/** The replay lies between the two completions, by the harness's clock. */
function noTokenBetween(run: ObservedRun, from: string | undefined, to: string | undefined): boolean {
  const [fromMs, toMs] = [instantMs(from) + CLOCK_BOUND_MS, instantMs(to)];
  const between = tokenRequests(run).filter(({ identity, receivedMs }) => identity === HOST_ISSUER && receivedMs > fromMs && receivedMs < toMs);
  return !Number.isNaN(fromMs) && !Number.isNaN(toMs) && between.length === 0;
}
