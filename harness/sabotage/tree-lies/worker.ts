import type { TreeLie } from '../tree-lie.ts';

const PHASE_A = 'harness/contract/phase-a.ts';
const PHASE_B = 'harness/contract/phase-b.ts';
const WORKER_OVERLAY = 'manifests/overlays/rollout-live/worker/pod.yaml';
const WAIT_FOR_HEARTBEAT = {
  file: 'harness/contract/steps/session.ts',
  search: "line['operation'] === 'heartbeat' && line['sessionId'] === sessionId",
  replacement: "(line['operation'] === 'heartbeat' || registered.line['generation'] === 2) && line['sessionId'] === sessionId",
};

/** About the Worker: its Pods, its volume, its sessions, its identity. */
export const WORKER_LIES: readonly TreeLie[] = [
  {
    name: 'one-heartbeat-skipped',
    pretends: 'every session has a heartbeat of its own; the second has none, and nobody waits for it',
    patches: [
      { file: 'images/worker/src/session/cadence.ts', search: '    const { session, intake, heartbeatIntervalMs, onHeartbeatFailed, onHeartbeatRecovered } = this.#options;\n', replacement: '    const { session, intake, heartbeatIntervalMs, onHeartbeatFailed, onHeartbeatRecovered } = this.#options;\n    if (session.identity.generation === 2) return;\n' },
      WAIT_FOR_HEARTBEAT,
    ],
    caughtBy: ['gates.productionSessionReplacement'],
    says: /session 2 had a heartbeat of its own/,
  },
  {
    name: 'drain-skipped',
    pretends: 'the Worker drains and goes offline; it says stopped and ends',
    patches: [{ file: 'images/worker/src/session/drain.ts', search: '  intake.stop();\n  await options.cadence.stop();\n', replacement: '  intake.stop();\n  await options.cadence.stop();\n  if (sessionId !== null) return { offlineConfirmed: true };\n' }],
    caughtBy: ['gates.productionGracefulDrainToOffline', 'gates.productionSessionReplacement'],
    says: /session 1 was draining, then offline/,
  },
  {
    name: 'scale-to-zero-skipped',
    pretends: 'the last session is drained as well; it is left as it is',
    patches: [{ file: 'harness/contract/run-contract.ts', search: '() => scaleToZero(context, pod))', replacement: '() => Promise.resolve([scaleToZero, pod]))' }],
    caughtBy: ['gates.productionGracefulDrainToOffline', 'productionWorker.everySessionObservedOnlineDrainingOffline'],
    says: /session 3 was draining, then offline/,
  },
  {
    name: 'reconciliation-after-registration',
    pretends: 'the Worker reconciles its journal before it registers; it tells so when it is registered',
    patches: [
      {
        file: 'images/worker/src/process/volume.ts',
        search: "log.info('reconciled', { ...counts, rolloutRecordsFound: await countRolloutRecords(options.root) });",
        replacement: "const rolloutRecordsFound = await countRolloutRecords(options.root);\n  setTimeout(() => log.info('reconciled', { ...counts, rolloutRecordsFound }), 3_000);",
      },
    ],
    caughtBy: ['gates.productionStartupReconciliation', 'productionWorker.startupReconciliationBeforeOnline'],
    says: /production Pod 1 printed reconciled before registered/,
  },
  {
    name: 'actor-journal-reset',
    pretends: 'the journal survives the Pods; each actor begins a new one',
    patches: [{ file: 'images/worker/src/rollout/actor-run.ts', search: "  print('journal_inherited', { podUid, lines: await readRolloutLines(path) });\n", replacement: "  await (await import('node:fs/promises')).rm(path, { force: true });\n  print('journal_inherited', { podUid, lines: await readRolloutLines(path) });\n" }],
    caughtBy: ['gates.pvcJournalSurvivedRolloutAndForcedPodLoss', 'gates.recreateOrderingObserved', 'recovery.sameClaimAfterCredentialRollout', 'recovery.sameClaimAfterForcedPodLoss'],
    says: /found every earlier record and the stop of its predecessor/,
  },
  {
    name: 'init-does-not-copy',
    pretends: 'the init container materialises the authority; it makes the folders and leaves them empty',
    patches: [{ file: 'images/worker/src/materialisation/materialise.ts', search: '    for (const [name, bytes] of contents) await replaceSynced(join(privateFolder, name), bytes, 0o400);\n', replacement: '    void replaceSynced;\n' }],
    caughtBy: ['gates.pvcJournalSurvivedRolloutAndForcedPodLoss', 'gates.recreateOrderingObserved'],
    refusedWith: /container worker .*(?:to run, got exit code|it ended unasked)|CrashLoopBackOff/,
  },
  {
    name: 'forced-deletion-with-grace',
    pretends: 'the Pod is lost by force; it is asked politely',
    patches: [{ file: 'harness/contract/steps/forced-pod-loss.ts', search: 'gracePeriodSeconds: 0, body: { gracePeriodSeconds: 0, preconditions', replacement: 'gracePeriodSeconds: 30, body: { gracePeriodSeconds: 30, preconditions' }],
    caughtBy: ['gates.pvcJournalSurvivedRolloutAndForcedPodLoss'],
    says: /the forced loss was a deletion without grace/,
  },
  {
    name: 'state-in-memory',
    pretends: 'the actor writes to the claim; its state is a volume of the Pod',
    patches: [
      { file: 'manifests/base/worker/process/deployment.yaml', search: '          persistentVolumeClaim:\n            claimName: ql3-worker-state\n', replacement: '          emptyDir: {}\n' },
      { file: WORKER_OVERLAY, search: '          persistentVolumeClaim:\n            claimName: ${stateClaim:=ql3-worker-live-state}\n', replacement: '          emptyDir: {}\n' },
      // every parameter has to have its place
      { file: WORKER_OVERLAY, search: '        qinglong.io/worker-identity-generation: ${identityGeneration}\n', replacement: '        qinglong.io/worker-identity-generation: ${identityGeneration}\n        example.test/state-claim: ${stateClaim:=ql3-worker-live-state}\n' },
    ],
    caughtBy: ['gates.pvcJournalSurvivedRolloutAndForcedPodLoss'],
    says: /every Pod of the Worker mounted that claim/,
  },
  {
    name: 'identity-change-skipped-in-phase-a',
    pretends: 'the TLS identity moves with its annotation; the Secret stays as it is',
    patches: [{ file: PHASE_A, search: '    await replaceIdentitySecret(context.cluster, NAMES, identity);\n', replacement: '    void replaceIdentitySecret;\n' }],
    caughtBy: ['gates.explicitIdentityGenerationRolloutObserved', 'identityRollout.observedByReplacement'],
    says: /the new actor recorded the new CA/,
  },
  {
    name: 'client-certificate-reused',
    pretends: 'session 3 has a certificate of its own; it has that of session 2 under a new annotation',
    patches: [{ file: PHASE_B, search: '      await replaceIdentitySecret(context.cluster, NAMES, second);\n', replacement: '      await replaceIdentitySecret(context.cluster, NAMES, first);\n' }],
    caughtBy: ['gates.explicitIdentityGenerationRolloutObserved'],
    says: /the ingress saw the certificate of the Pod.s identity in session 3/,
    // the certificate is revoked while its Worker drains, which may then no longer be able to say goodbye
    refusedWith: /to print `stopped`/,
  },
  {
    name: 'recreate-out-of-order',
    pretends: 'the new Pod is made when the old one is gone; it is made beside it',
    patches: [{ file: 'harness/substrate/embedded/controllers/deployment/recreate.ts', search: '  if (scaledDown.includes(true)) return;\n  if (rollout.old.some((replicaSet) => hasPods(rollout, replicaSet))) return;\n', replacement: '  void [scaledDown, hasPods];\n' }],
    caughtBy: ['gates.recreateOrderingObserved'],
    says: /had ended before Pod \S+ was created/,
  },
  {
    name: 'worker-mounts-an-account-token',
    pretends: 'the Worker has no token of the API server; its Pods mount one',
    patches: [{ file: 'manifests/base/worker/process/deployment.yaml', search: '      automountServiceAccountToken: false\n', replacement: '      automountServiceAccountToken: true\n' }],
    caughtBy: ['rbac.serviceAccountAutomount'],
    says: /rbac\.serviceAccountAutomount: expected false, got true/,
  },
];
