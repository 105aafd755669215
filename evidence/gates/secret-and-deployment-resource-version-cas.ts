import { administrator, concerns, IDENTITY_SECRET, isWrite, requests, succeeded, TARGET_DEPLOYMENT, TARGET_SECRET, wasLeftOpen, type ObjectName, type Request } from '../facts/audit.ts';
import { actionChains, publishedRow, type ActionChain } from '../facts/actions.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { DELIVERY } from '../identities.ts';
import type { WatchedObject } from '../facts/pods.ts';
import { publishedAnnotation, replacesByDelivery, statesOf, swapOf } from '../facts/publications.ts';
import { isRising } from '../facts/rising.ts';
import { numberIn, textIn } from '../facts/rows.ts';
import { fourSessionsRule, tokenSessions, type TokenSession } from '../facts/token-sessions.ts';
import { publicationDigest } from '../digests.ts';
import { competingWriterDeployment } from '../probes/competing-writer-deployment.ts';
import { competingWriterSecret } from '../probes/competing-writer-secret.ts';
import { judged, rule, ruleOf, type Rule } from '../verdict.ts';

/** Each publication read, then replaced with the resourceVersion that it had read, and a writer that comes between gets a 409. */
export const secretAndDeploymentResourceVersionCas = judged((run: ObservedRun) => {
  const sessions = tokenSessions(run);
  const chains = actionChains(run);
  return [
    fourSessionsRule(run),
    ...sessions.flatMap((session) => {
      const chain = chains[session.generation - 1] as ActionChain;
      return [orderRule(run, session, chain), ...swapRules(run, session, chain, 'Secret', TARGET_SECRET), ...swapRules(run, session, chain, 'Deployment', TARGET_DEPLOYMENT)];
    }),
    everyStateHasItsWrite(run),
    everyGenerationHasItsWrite(run),
    everyIdentityHasItsWrite(run),
    exactlyFour(run, TARGET_SECRET),
    exactlyFour(run, TARGET_DEPLOYMENT),
    ...chains.map((chain) => digestRule(run, chain)),
    ruleOf('the probe with a competing writer of the Secret held', competingWriterSecret(run)),
    ruleOf('the probe with a competing writer of the Deployment held', competingWriterDeployment(run)),
  ];
});

function swapRules(run: ObservedRun, session: TokenSession, chain: ActionChain, kind: 'Secret' | 'Deployment', object: ObjectName): Rule[] {
  const { read, replaces, before, after } = swapOf(run, session, object);
  const of = `of the ${kind} for generation ${session.generation}`;
  const published = publishedRow(chain);
  return [
    rule(`one replace ${of}, answered 200`, replaces.length === 1 && replaces.every(succeeded), replaces),
    rule(`a read ${of} before its replace`, read !== null, [read]),
    rule(`the replace ${of} carried the resourceVersion that the watch last showed`, before !== null, [before, ...replaces]),
    rule(
      `what the watch showed next ${of} carries this delivery, and what it showed before does not`,
      published !== null &&
        publishedAnnotation(after?.body.object, 'deliveryId') === textIn(published, 'delivery_id') &&
        publishedAnnotation(after?.body.object, 'tokenDigest') === textIn(published, 'token_digest') &&
        publishedAnnotation(before?.body.object, 'deliveryId') !== textIn(published, 'delivery_id'),
      [before, after, published],
    ),
  ];
}

/** Each step of a delivery waits for the one before. */
function orderRule(run: ObservedRun, session: TokenSession, chain: ActionChain): Rule {
  const replaces = [TARGET_SECRET, TARGET_DEPLOYMENT].map((object) => swapOf(run, session, object).replaces[0]);
  const [begun, written] = [[...session.deliveryReviews, session.work.find(({ event }) => event.verb === 'create')], replaces].map((requests) => requests.map((request) => request?.receivedMs ?? NaN));
  const steps = [...(begun ?? []), numberIn(chain.credential, 'issued_at_ms'), ...(written ?? []), numberIn(publishedRow(chain), 'published_at_ms'), numberIn(chain.execution, 'completed_at_ms')];
  return rule(`generation ${session.generation} was reviewed, staged, issued, written and published, in this order`, isRising(steps), [...session.deliveryReviews, chain.credential, ...replaces]);
}

/** Nothing but writes changes a Secret: the watch and the audit log must tell of equally many, whoever made them. */
function everyStateHasItsWrite(run: ObservedRun): Rule {
  const [, ...states] = statesOf(run, TARGET_SECRET);
  const writes = requests(run).filter((request) => concerns(request, TARGET_SECRET) && isWrite(request) && request.event.verb !== 'create' && succeeded(request));
  return rule('every later state of the target Secret has its write in the audit log, and every write its state', states.length === writes.length, [...states, ...writes]);
}

/** A controller writes into the status of a Deployment, and into its annotations; its generation rises with its specification alone. */
function everyGenerationHasItsWrite(run: ObservedRun): Rule {
  const states = statesOf(run, TARGET_DEPLOYMENT);
  const unwritten = states.slice(1).filter((state, index) => state.body.object.metadata.generation !== states[index]?.body.object.metadata.generation && !isWrittenOver(run, TARGET_DEPLOYMENT, states[index]));
  return rule('every new generation of the target Deployment has its write in the audit log, over the state before it', unwritten.length === 0, unwritten);
}

function everyIdentityHasItsWrite(run: ObservedRun): Rule {
  const states = statesOf(run, IDENTITY_SECRET);
  const unwritten = states.slice(1).filter((_, index) => !isWrittenOver(run, IDENTITY_SECRET, states[index]));
  return rule('every later state of the identity Secret has its write in the audit log, over the state before it', unwritten.length === 0, unwritten);
}

/** By who may specify it: a patch may name no resourceVersion. When the administrator loses an answer, the write is made once more over what came of it, and then changes nothing. */
function isWrittenOver(run: ObservedRun, object: ObjectName, before: WatchedObject | undefined): boolean {
  const mayBeStored = (request: Request): boolean => succeeded(request) || (wasLeftOpen(request) && request.identity === administrator(run));
  const isOver = ({ event, identity }: Request): boolean => [DELIVERY, administrator(run)].includes(identity) && (event.verb === 'patch' || (event.verb === 'update' && event.resourceVersion === before?.body.object.metadata.resourceVersion));
  return requests(run).some((request) => concerns(request, object) && mayBeStored(request) && isOver(request));
}

function exactlyFour(run: ObservedRun, object: ObjectName): Rule {
  const replaces = replacesByDelivery(run, object);
  return rule(`four replaces of ${object.resource}/${object.name} by the delivery identity, no more`, replaces.length === 4, replaces);
}

/** The publication digest binds the row to the UID of the Secret that the watch showed. */
function digestRule(run: ObservedRun, chain: ActionChain): Rule {
  const row = publishedRow(chain);
  const session = tokenSessions(run).find(({ generation }) => generation === chain.generation);
  const secret = session && swapOf(run, session, TARGET_SECRET).after;
  const deployment = session && swapOf(run, session, TARGET_DEPLOYMENT).after;
  const said = (column: string): string => textIn(row, column) ?? '';
  const computed = publicationDigest(said('deployment_target_digest'), secret?.body.object.metadata.uid ?? '', {
    deliveryId: said('delivery_id'),
    workerId: said('worker_id'),
    credentialId: said('credential_id'),
    credentialVersion: numberIn(row, 'credential_version'),
    previousCredentialId: textIn(row, 'previous_credential_id'),
    tokenDigest: said('token_digest'),
    deploymentGeneration: said('deployment_generation'),
  });
  const met = row !== null && textIn(row, 'publication_digest') === computed && publishedAnnotation(deployment?.body.object, 'publicationDigest') === computed;
  return rule(`the publication digest of generation ${chain.generation} binds its delivery to the Secret's UID`, met, [row, secret, deployment]);
}
