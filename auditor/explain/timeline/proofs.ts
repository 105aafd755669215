import { deletionRequestOf } from '../../../evidence/facts/audit.ts';
import { drainElapsedMs } from '../../../evidence/facts/drain.ts';
import { firstJob, replayJob } from '../../../evidence/facts/executor-jobs.ts';
import type { ObservedRun } from '../../../evidence/facts/observed-run.ts';
import { controlPods, workerPods } from '../../../evidence/facts/pods.ts';
import { productSessions } from '../../../evidence/facts/product-sessions.ts';
import { GENERATIONS } from '../../../evidence/facts/token-sessions.ts';
import { productPods } from '../../../evidence/facts/worker-pods.ts';
import type { GateName } from '../../../evidence/gate-names.ts';
import type { Anchor, Lane, Mark, Proof } from './mark.ts';

const from = (key: string): Anchor => ({ key, end: 'from' });
const to = (key: string): Anchor => ({ key, end: 'to' });
const marksOf = (lanes: readonly Lane[]): readonly Mark[] => lanes.flatMap(({ rows }) => rows.flat());
const over = (gate: GateName, key: string, words: string): Proof => ({ gates: [gate], from: from(key), to: to(key), words });

/** Orders and enclosures that gates rest on, as far as both of their ends are drawn. */
export function proofs(run: ObservedRun, lanes: readonly Lane[]): readonly Proof[] {
  const drawn = new Set(marksOf(lanes).map(({ key }) => key));
  return [...GENERATIONS.flatMap((n) => delivery(n, lanes)), ...replacements(run), ...identities(lanes), ...production(run), ...jobs(run)].filter((proof) => drawn.has(proof.from.key) && drawn.has(proof.to.key));
}

function delivery(n: number, lanes: readonly Lane[]): Proof[] {
  const rolled = marksOf(lanes).find(({ key, credential }) => key.startsWith('deployment/') && credential === n);
  return [
    over('strongUserPlanApprovalAndDispatchPersisted', `approval/${n}`, `approval ${n}: asked by one user, approved by another, consumed once`),
    { gates: ['approvalConsumedBeforeTokenRequest'], from: from(`consumed/${n}`), to: from(`token/${n}`), words: `approval ${n} was consumed before token ${n} was requested` },
    over('leastPrivilegeTokenIssuerRbac', `issuer-reviews/${n}`, `before token ${n} the issuer had one access and not eight others`),
    over('restrictedCredentialDeliveryRbac', `delivery-reviews/${n}`, `under token ${n} the delivery had eight accesses and not twenty others`),
    { gates: ['secretAndDeploymentResourceVersionCas'], from: from(`get/Secret/${n}`), to: from(`put/Deployment/${n}`), words: `Secret and Deployment ${n}: read, then replaced with the resourceVersion that was read` },
    { gates: ['secretAndDeploymentResourceVersionCas'], from: from(`put/Secret/${n}`), to: from(`secret/${n}`), words: `the watch showed next of the Secret what replace ${n} had written` },
    { gates: ['secretAndDeploymentResourceVersionCas'], from: from(`put/Deployment/${n}`), to: from(rolled?.key ?? ''), words: `the watch showed next of the Deployment what replace ${n} had written` },
    { gates: ['tokenRequestSessionDisposed'], from: to(`token/${n}`), to: to(`token/${n}`), words: `nothing was done under token ${n} after its session` },
  ];
}

function replacements(run: ObservedRun): Proof[] {
  const pods = workerPods(run);
  const journal = { gates: ['pvcJournalSurvivedRolloutAndForcedPodLoss'], from: from('journal/0'), to: from('journal/4'), words: 'each Pod found every record of those before it' } as const;
  return [
    ...pods.slice(1).map((pod, index): Proof => ({ gates: ['recreateOrderingObserved'], from: to(`pod/${pods[index]?.uid}`), to: from(`pod/${pod.uid}`), words: `Pod ${pods[index]?.name} had ended before Pod ${pod.name} was created` })),
    journal,
  ];
}

/** The identity moves: first its Secret, then the annotation of the Deployment, which is a generation of its own. */
function identities(lanes: readonly Lane[]): Proof[] {
  const marks = marksOf(lanes);
  const generations = marks.filter(({ key }) => key.startsWith('deployment/'));
  return marks.filter(({ key }) => /^identity\/[1-9]/.test(key)).flatMap((secret): Proof[] => {
    const moved = generations.find(({ fromMs }) => fromMs >= secret.fromMs);
    return moved === undefined ? [] : [{ gates: ['explicitIdentityGenerationRolloutObserved'], from: from(secret.key), to: from(moved.key), words: `${secret.label}: the Secret, then the annotation, the credential stayed` }];
  });
}

function production(run: ObservedRun): Proof[] {
  const sessions = productSessions(run);
  return [
    ...sessions.flatMap((session, index): Proof[] => {
      const n = index + 1;
      const elapsedMs = drainElapsedMs(run, session);
      return [
        { gates: ['productionStartupReconciliation'], from: from(`reconciled/${n}`), to: from(`session/${n}`), words: `Pod ${session.pod.name} reconciled its journal before it registered session ${n}` },
        ...(deletionRequestOf(run, session.pod) === null ? [] : [{ gates: ['productionGracefulDrainToOffline'], from: from(`ending/${session.pod.uid}`), to: to(`session/${n}`), words: `session ${n} was offline ${elapsedMs} ms after its Pod's deletion was asked for` } as const]),
        ...(index === 0 ? [] : [{ gates: ['productionSessionReplacement', 'recreateOrderingObserved'], from: to(`session/${index}`), to: from(`session/${n}`), words: `session ${index} was offline before session ${n} was online` } as const]),
      ];
    }),
    ...productPods(run).slice(0, 1).map((pod) => ({ gates: ['productionWorkerImageInKubernetes'], from: from(`pod/${pod.uid}`), to: from(`pod/${pod.uid}`), words: 'from here on the production image runs' }) as const),
    ...controlPods(run).map((pod) => over('productionWorkerIngressComposition', `pod/${pod.uid}`, 'Cluster Control: its own database role, TLS 1.3, a client certificate required')),
  ];
}

function jobs(run: ObservedRun): Proof[] {
  const [first, replay] = [firstJob(run).pod?.uid, replayJob(run).pod?.uid];
  return [
    over('realCallerDrivenExecutorJob', `pod/${first}`, 'a Job executed generation 3 and ended with exit code 0'),
    over('executorJobUsesProjectedShortLivedIssuerToken', 'token/3', "token 3 was requested with the Job's own projected token of 600 s"),
    over('executorJobExactReplayWithoutTokenRequest', `pod/${replay}`, 'while the replay lived, executor and delivery asked the API server for nothing'),
    over('managerExecutorDatabaseRolesSeparated', 'probe/database-forbidden-statement', 'each database role was refused a statement beyond its grants'),
    over('executorJobExactNetworkEgress', 'probe/egress-outside', 'a destination outside the policy was not reached'),
  ];
}
