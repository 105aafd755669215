import { deliveries } from '../facts/actions.ts';
import { CONTRACT_NAMES } from '../contract-names.ts';
import { claimStates, claimIsSame } from '../facts/claim.ts';
import { administrator, deletionRequestOf } from '../facts/audit.ts';
import { dig, listAt, numberAt, textAt } from '../facts/fields.ts';
import { claimDeletions } from '../facts/foreign-writes.ts';
import { journalEntries, parseStartRecord, type JournalEntry } from '../facts/journal.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { claimNames } from '../facts/pod-spec.ts';
import { annotationOf, exitOf, podLives, workerPods, type PodLife, type WatchedObject } from '../facts/pods.ts';
import { journalOrder } from '../facts/replacement-order.ts';
import { rowsWhere, textIn } from '../facts/rows.ts';
import { actorCast } from '../facts/worker-pods.ts';
import { judged, nothing, rule } from '../verdict.ts';

/** One volume through it all, and each successor inherited every earlier record, the one after a forced loss too. */
export const pvcJournalSurvivedRolloutAndForcedPodLoss = judged((run: ObservedRun) => {
  const entries = journalEntries(run);
  const { rotated, crashReplacement } = actorCast(run);
  const pods = workerPods(run);
  return [
    rule('the claim kept its UID and its volume and was never deleted', claimIsSame(claimStates(run)), claimStates(run)),
    nothing('nobody had the API server delete the claim', claimDeletions(run)),
    rule('every Pod of the Worker mounted that claim, the whole of it', pods.length > 0 && pods.every((pod) => claimNames(pod.object).join() === CONTRACT_NAMES.claim && mountsClaim(pod)), pods),
    nothing('no other Pod had the volume, the credential or the TLS identity of the Workers', sharers(run)),
    rule('five actors printed what they found and what they wrote', entries.length === 5 && entries.every(({ inherited, record }) => inherited !== null && record !== null), entries.flatMap(({ sources }) => sources)),
    rule('the first actor found records of no stranger', entries[0]?.inherited?.every((line) => pods.some(({ uid }) => line.split(' ')[1] === uid)) === true, entries[0]?.sources),
    rule('each actor wrote its own start record', entries.every(({ pod, record }) => parseStartRecord(record)?.podUid === pod.uid), entries.flatMap(({ sources }) => sources)),
    rule('each actor read the very token whose digest its Pod and the ledger carry', entries.length > 0 && entries.every((entry) => readDeliveredToken(run, entry)), [...entries.flatMap(({ sources }) => sources), ...deliveries(run)]),
    ...journalOrder(run),
    rule('the forced loss was a deletion without grace, and another Pod followed', wasForced(rotated) && crashReplacement !== null, [leaving(rotated), rotated?.deleted, deletionRequestOf(run, rotated), crashReplacement]),
    rule('the administrator asked for the forced loss', rotated !== null && (deletionRequestOf(run, rotated)?.identity ?? '') === administrator(run), [deletionRequestOf(run, rotated)]),
    rule('the replacement after the loss ran under the same credential', sameToken(entries[1]?.record, entries[2]?.record), [...(entries[1]?.sources ?? []), ...(entries[2]?.sources ?? [])]),
  ];
});

function readDeliveredToken(run: ObservedRun, { pod, record }: JournalEntry): boolean {
  const digest = parseStartRecord(record)?.tokenDigest;
  const row = rowsWhere(deliveries(run), 'delivery_id', annotationOf(pod, 'deliveryId'))[0];
  return digest !== undefined && digest === annotationOf(pod, 'tokenDigest') && digest === textIn(row, 'token_digest');
}

/** A Pod deleted with grace 0 leaves the API at once: it is told so as soon as it is asked to go, and the watch never shows the end of its container. */
function wasForced(pod: PodLife | null): boolean {
  return pod !== null && pod.deleted !== null && exitOf(pod) === null && numberAt(leaving(pod)?.body.object, 'metadata', 'deletionGracePeriodSeconds') === 0;
}

/** The first state in which the Pod is asked to go. */
function leaving(pod: PodLife | null): WatchedObject | null {
  return pod?.events.find(({ body }) => body.object.metadata.deletionTimestamp !== undefined) ?? null;
}

function sameToken(left: string | null | undefined, right: string | null | undefined): boolean {
  const [before, after] = [parseStartRecord(left), parseStartRecord(right)];
  return before !== null && after !== null && before.tokenDigest === after.tokenDigest;
}

function mountsClaim({ object }: PodLife): boolean {
  const claimed = listAt(object, 'spec', 'volumes').find((volume) => dig(volume, 'persistentVolumeClaim') !== undefined);
  return listAt(object, 'spec', 'containers', 0, 'volumeMounts').some((mount) => textAt(mount, 'name') === textAt(claimed, 'name') && dig(mount, 'subPath') === undefined && dig(mount, 'subPathExpr') === undefined);
}

/** Other Pods beside the Workers whose specification names what is theirs. */
function sharers(run: ObservedRun): readonly PodLife[] {
  const { workerNamespace, claim, targetSecret, identitySecret } = CONTRACT_NAMES;
  const isSharer = (pod: PodLife): boolean => pod.namespace === workerNamespace && !workerPods(run).includes(pod) && [claim, targetSecret, identitySecret].some((name) => JSON.stringify(pod.object['spec']).includes(`"${name}"`));
  return podLives(run).filter(isSharer);
}
