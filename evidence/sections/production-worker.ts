import { CONTRACT_NAMES } from '../contract-names.ts';
import { claimIsSame, claimStates } from '../facts/claim.ts';
import { drainElapsedMs } from '../facts/drain.ts';
import { numberAt } from '../facts/fields.ts';
import { commonOf } from '../facts/group-by.ts';
import { productIdentityRules } from '../facts/identity-rollout.ts';
import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { claimNames, mountsServiceAccountToken, readsSecretsFromEnvironment } from '../facts/pod-spec.ts';
import { annotationOf, controlPods, imageIdsOf, nodeNameOf, type PodLife } from '../facts/pods.ts';
import { productSessions, sessionHistory, type ProductSession } from '../facts/product-sessions.ts';
import { numberIn, textIn } from '../facts/rows.ts';
import { sessionAudits } from '../facts/session-audits.ts';
import { productPods } from '../facts/worker-pods.ts';
import { productionStartupReconciliation } from '../gates/production-startup-reconciliation.ts';
import type { DraftSection } from '../report.ts';
import { secretIn } from '../secret-patterns.ts';

export const productionWorkerSection = fact((run: ObservedRun): DraftSection<'productionWorker'> => {
  const pods = productPods(run);
  const sessions = productSessions(run);
  const [first, second, third] = sessions;
  return {
    workerImageId: commonOf(pods.flatMap(imageIdsOf)),
    controlImageId: commonOf(controlPods(run).flatMap(imageIdsOf)),
    podUids: pods.map(({ uid }) => uid),
    nodeNames: pods.map(nodeNameOf),
    sessionIds: sessions.map(({ sessionId }) => sessionId),
    generations: sessions.map(({ online }) => orNull(numberIn(online, 'generation'))),
    observationCount: sessionHistory(run).length,
    gracefulDrainElapsedMs: longestDrainMs(run, sessions),
    terminationGracePeriodSeconds: commonOf(pods.map(({ object }) => numberAt(object, 'spec', 'terminationGracePeriodSeconds'))),
    startupReconciliationBeforeOnline: productionStartupReconciliation(run).holds,
    everySessionObservedOnlineDrainingOffline: sessions.length === 3 && sessions.every(wasOnlineDrainingOffline),
    credentialRolloutCreatedFreshSession: changedCredential(first, second) && isFresh(first, second),
    identityRolloutCreatedFreshSession: isFresh(second, third) && productIdentityRules(run).every(({ met }) => met),
    pvcReusedAcrossProductSessions: pods.length === 3 && claimIsSame(claimStates(run)) && pods.every(({ object }) => claimNames(object).join() === CONTRACT_NAMES.claim) && productionStartupReconciliation(run).holds,
    serviceAccountTokenMounted: pods.length === 0 || pods.some(({ object }) => mountsServiceAccountToken(object)),
    registerAudits: sessionAudits(run, 'register').length,
    transitionAudits: sessionAudits(run, 'transition').length,
    heartbeatAudits: sessionAudits(run, 'heartbeat').length,
    credentialSecretsAbsent: credentialSecretsAbsent(run, pods),
    fourthCredentialId: textIn(third?.online, 'credential_id'),
  };
});

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

function longestDrainMs(run: ObservedRun, sessions: readonly ProductSession[]): number | null {
  const elapsed = sessions.map((session) => drainElapsedMs(run, session));
  return elapsed.length === 0 || elapsed.includes(null) ? null : Math.max(...elapsed.map(Number));
}

function wasOnlineDrainingOffline({ online, draining, offline }: ProductSession): boolean {
  const versions = [online, draining, offline].map((row) => numberIn(row, 'version'));
  return versions.every((version, index) => !Number.isNaN(version) && (index === 0 || (versions[index - 1] as number) < version));
}

function isFresh(old: ProductSession | undefined, session: ProductSession | undefined): boolean {
  if (old === undefined || session === undefined || old.sessionId === null || session.sessionId === null) return false;
  return old.sessionId !== session.sessionId && numberIn(session.online, 'generation') > numberIn(old.online, 'generation');
}

/** The Pod's annotation and the credential that authenticated its session moved from the third to the fourth, together. */
function changedCredential(old: ProductSession | undefined, session: ProductSession | undefined): boolean {
  const [, , third, fourth] = CONTRACT_NAMES.credentialIds;
  const has = (each: ProductSession | undefined, id: string): boolean => each !== undefined && annotationOf(each.pod, 'credentialId') === id && each.history.length > 0 && each.history.every((row) => textIn(row, 'credential_id') === id);
  return has(old, third) && has(session, fourth);
}

/** Nothing of a credential in the Pods' environment or objects, nor in anything that Worker and ingress printed. */
function credentialSecretsAbsent(run: ObservedRun, pods: readonly PodLife[]): boolean {
  const printed = [...run.of('process.line'), ...run.of('ingress.line')];
  return pods.length === 3 && printed.length > 0 && pods.every(({ object }) => !readsSecretsFromEnvironment(object) && secretIn(JSON.stringify(object)) === null) && printed.every(({ body }) => secretIn(JSON.stringify(body.line)) === null);
}
