import { STAGE_SECRET_PREFIX } from '../../../evidence/annotations.ts';
import { actionChains, publishedRow } from '../../../evidence/facts/actions.ts';
import { CONTRACT_NAMES } from '../../../evidence/contract-names.ts';
import { numberAt, textAt } from '../../../evidence/facts/fields.ts';
import { watchedStates } from '../../../evidence/facts/objects.ts';
import type { ObservedRun } from '../../../evidence/facts/observed-run.ts';
import type { WatchedObject } from '../../../evidence/facts/pods.ts';
import { publishedAnnotation } from '../../../evidence/facts/publications.ts';
import { textIn } from '../../../evidence/facts/rows.ts';
import type { RunClock } from './clock.ts';
import { intoRows, span } from './make-mark.ts';
import type { CredentialNumber, Lane, Mark } from './mark.ts';

const { workerNamespace, stageNamespace, targetSecret, identitySecret, deployment } = CONTRACT_NAMES;

/** Which of the contract's credentials an object carries: by its delivery in the database, or, before rows were read, by what it says itself. */
function credentialOf(run: ObservedRun, object: WatchedObject['body']['object']): CredentialNumber {
  const deliveryId = publishedAnnotation(object, 'deliveryId');
  const chain = deliveryId === null ? undefined : actionChains(run).find((each) => textIn(publishedRow(each), 'delivery_id') === deliveryId);
  const generation = publishedAnnotation(object, 'generation');
  return chain?.generation ?? ((CONTRACT_NAMES.credentialIds.findIndex((id) => `generation-${id}` === generation) + 1) as CredentialNumber);
}

/** States that say something new, each until the next of them or the object's end. */
function versions(states: readonly WatchedObject[], clock: RunClock, tell: (state: WatchedObject, index: number) => Omit<Mark, 'fromMs' | 'toMs' | 'seqs' | 'witness'>, same: (left: WatchedObject, right: WatchedObject) => boolean): Mark[] {
  const kept = states.filter((state, index) => index === 0 || !same(states[index - 1] as WatchedObject, state));
  return kept.filter(({ body }) => body.type !== 'DELETED').flatMap((state, index) => {
    const next = kept[kept.indexOf(state) + 1];
    return span({ ...tell(state, index), witness: 'api-watch', fromMs: clock.at(state.at), toMs: next === undefined ? Number.POSITIVE_INFINITY : clock.at(next.at), seqs: [state] });
  });
}

/** What the Deployment's annotation calls the identity that a version of its Secret holds: the Secret moves first, the annotation follows. */
function identityName(run: ObservedRun, version: WatchedObject, number: number): string {
  const moved = watchedStates(run, 'Deployment', workerNamespace, deployment).find(({ seq }) => seq > version.seq);
  return (moved === undefined ? null : publishedAnnotation(moved.body.object, 'identityGeneration')) ?? `identity ${number}`;
}

const always = (): boolean => false;

/** Versions of the two Secrets that each Pod projects, and the stage Secrets on their way. */
export function secrets(run: ObservedRun, clock: RunClock): Lane {
  const target = versions(watchedStates(run, 'Secret', workerNamespace, targetSecret), clock, ({ body: { object } }, index) => {
    const credential = credentialOf(run, object);
    const label = credential === 0 ? 'prepared' : `credential ${credential}`;
    return { key: `secret/${credential === 0 ? `prepared/${index}` : credential}`, look: index === 0 ? 'waiting' : 'solid', label, words: `Secret ${targetSecret}: ${label}, resourceVersion ${object.metadata.resourceVersion}`, credential };
  }, always);
  const identity = versions(watchedStates(run, 'Secret', workerNamespace, identitySecret), clock, (state, index) => {
    const label = identityName(run, state, index + 1);
    return { key: `identity/${index}`, look: 'hatched', label, shortLabel: label.slice(label.indexOf('-') + 1), words: `Secret ${identitySecret}: ${label}, resourceVersion ${state.body.object.metadata.resourceVersion}`, credential: 0 };
  }, always);
  return { id: 'secrets', title: 'Secrets', witness: 'api-watch', rows: [target, identity].filter((row) => row.length > 0) };
}

/** Secrets that hold a token in plain on its way, each until recovery removed it. */
export function stages(run: ObservedRun, clock: RunClock): Lane {
  const marks = actionChains(run).flatMap((chain) => {
    const name = STAGE_SECRET_PREFIX + (textIn(publishedRow(chain), 'delivery_id') ?? '').replaceAll('-', '');
    return versions(watchedStates(run, 'Secret', stageNamespace, name), clock, () => ({ key: `stage/${chain.generation}`, look: 'waiting', label: `stage ${chain.generation}`, words: `stage Secret of generation ${chain.generation}, until it was removed`, credential: chain.generation }), always);
  });
  return { id: 'stages', title: 'Stage Secrets', witness: 'api-watch', rows: intoRows(marks), isThin: true };
}

/** Generations of the Worker's Deployment: each new specification is one. */
export function deployments(run: ObservedRun, clock: RunClock): Lane {
  const identities: string[] = [];
  const row = versions(watchedStates(run, 'Deployment', workerNamespace, deployment), clock, ({ body: { object } }) => {
    const generation = numberAt(object, 'metadata', 'generation') ?? 0;
    const credential = credentialOf(run, object);
    const identity = publishedAnnotation(object, 'identityGeneration') ?? 'no identity';
    if (!identities.includes(identity)) identities.push(identity);
    const replicas = numberAt(object, 'spec', 'replicas');
    const label = `generation ${generation}${replicas === 0 ? ' · scaled to zero' : ''}`;
    return { key: `deployment/${generation}`, look: 'solid', label, shortLabel: replicas === 0 ? 'zero' : String(generation), words: `Deployment ${deployment}, ${label}: ${credential === 0 ? 'no credential yet' : `credential ${credential}`}, ${identity}, strategy ${textAt(object, 'spec', 'strategy', 'type')}`, credential };
  }, (left, right) => left.body.object.metadata.generation === right.body.object.metadata.generation && right.body.type !== 'DELETED');
  return { id: 'deployment', title: 'Deployment', witness: 'api-watch', rows: row.length > 0 ? [row] : [] };
}
