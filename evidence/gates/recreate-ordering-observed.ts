import { CLOCK_BOUND_MS, KUBERNETES_TIME_STEP_MS } from '../clock-bound.ts';
import { numberAt, textAt } from '../facts/fields.ts';
import { foreignPodWrites } from '../facts/foreign-writes.ts';
import { TARGET_DEPLOYMENT } from '../facts/audit.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { instantMs } from '../instants.ts';
import { annotationOf, restartOf, runningFromMs, witnessedExitOf, workerPods, type PodLife } from '../facts/pods.ts';
import { statesOf } from '../facts/publications.ts';
import { productSessions, recordedAtMs } from '../facts/product-sessions.ts';
import { actorPods, carryCredentials, EXPECTED_CREDENTIALS, productPods } from '../facts/worker-pods.ts';
import { forcedPodUids, journalOrder, outOfTheWay } from '../facts/replacement-order.ts';
import { judged, nothing, rule, type Rule } from '../verdict.ts';

/** For every replacement the old Pod was gone before the new one was made, stopped before it started, and offline before it was online. */
export const recreateOrderingObserved = judged((run: ObservedRun) => {
  const pods = workerPods(run);
  const deployment = statesOf(run, TARGET_DEPLOYMENT);
  const sessions = productSessions(run);
  const known = new Set([...actorPods(run), ...productPods(run)]);
  const unknown = pods.filter((pod) => !known.has(pod) && annotationOf(pod, 'credentialId') !== null && !Number.isNaN(runningFromMs(pod)));
  return [
    rule('the Deployment replaces by Recreate, one Pod at a time', deployment.length > 0 && deployment.every(({ body: { object } }) => textAt(object, 'spec', 'strategy', 'type') === 'Recreate' && (numberAt(object, 'spec', 'replicas') ?? 1) <= 1), deployment),
    rule('the actor ran in the five Pods of phase A, under their credentials', carryCredentials(actorPods(run), EXPECTED_CREDENTIALS.actor), actorPods(run)),
    rule('the production Worker ran in the three Pods of phase B, under their credentials', carryCredentials(productPods(run), EXPECTED_CREDENTIALS.product), productPods(run)),
    rule('every Pod of the Worker that ran said what it ran', unknown.length === 0, unknown),
    nothing('nobody but the administrator, the cluster and its node made a Pod or took one away', foreignPodWrites(run)),
    ...pairs(pods).map(([old, successor]) => {
      const end = outOfTheWay(run, old);
      return rule(`Pod ${old.name} had ended before Pod ${successor.name} was created`, end !== null && end.seq < successor.seq, [end, successor]);
    }),
    ...pairs(pods).map(([old, successor]) => exitRule(run, old, successor)),
    rule('no container of a Worker began again', pods.every((pod) => restartOf(pod) === null), pods.map(restartOf)),
    ...journalOrder(run),
    ...pairs(sessions).map(([old, successor], index): Rule => {
      const met = recordedAtMs(old.offline) <= recordedAtMs(successor.online);
      return rule(`session ${index + 1} was offline before session ${index + 2} was online`, met, [old.offline, successor.online]);
    }),
  ];
});

/** In whole seconds, as objects tell their times. A Pod that is lost by force is given up while its container may still run. */
function exitRule(run: ObservedRun, old: PodLife, successor: PodLife): Rule {
  const exit = witnessedExitOf(run, old);
  const earliestMs = instantMs(exit?.finishedAt) - KUBERNETES_TIME_STEP_MS - CLOCK_BOUND_MS;
  const early = [instantMs(successor.appeared.body.object.metadata.creationTimestamp), runningFromMs(successor)].some((atMs) => atMs < earliestMs);
  return rule(`the container of Pod ${old.name} had ended before Pod ${successor.name} was created and its container started`, !early || forcedPodUids(run).has(old.uid), [exit, successor]);
}

function pairs<T>(items: readonly T[]): [T, T][] {
  return items.slice(1).map((item, index) => [items[index] as T, item]);
}
