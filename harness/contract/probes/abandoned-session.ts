import { PROBE_NAMES } from '../../../evidence/contract-names.ts';
import type { ContractContext } from '../context.ts';
import { podStatus, type PodRef } from '../pods.ts';
import { podUids, waitForLine, waitForSuccessor } from '../rollout.ts';
import { removeByForce } from '../steps/forced-pod-loss.ts';
import { changeDeployment } from '../steps/identity.ts';
import { recordProbe } from './record-probe.ts';

/** A production Worker of the probe's own, with a session that is online. */
export interface ProbeWorker {
  readonly pod: PodRef;
  readonly sessionId: string;
}

/** Lets the probe's Deployment, paused until now, start its production Worker. */
export async function startProbeWorker(context: ContractContext): Promise<ProbeWorker> {
  const before = podUids(context.watches.probePods);
  await changeDeployment(context.cluster, PROBE_NAMES, (deployment) => ({ ...deployment, spec: { ...deployment.spec, paused: false } as NonNullable<typeof deployment.spec> }));
  const pod = await waitForSuccessor(context.watches.probePods, PROBE_NAMES.deployment, before);
  const { line } = await waitForLine(context, pod, 'registered');
  return { pod, sessionId: String(line['sessionId']) };
}

/** Kills the Worker from outside; then its Pod is removed by force, so that another Pod has to find what was abandoned. */
export async function probeAbandonedSession(context: ContractContext, { pod: killed, sessionId }: ProbeWorker, killContainer: (containerId: string) => Promise<void>): Promise<void> {
  await recordProbe(context, 'abandoned-session', `SIGKILL to the Worker in Pod ${killed.podName}, then the Pod is removed by force`, async () => {
    const survivors = podUids(context.watches.probePods);
    await killContainer(containerIdOf(context, killed));
    await removeByForce(context.cluster, killed);
    const successor = await waitForSuccessor(context.watches.probePods, PROBE_NAMES.deployment, survivors);
    const registered = await waitForLine(context, successor, 'registered');
    return {
      outcome: `Pod ${successor.podName} registered a session of its own`,
      facts: {
        workerId: PROBE_NAMES.workerId,
        killedPodUid: killed.podUid,
        abandonedSessionId: sessionId,
        successorPodUid: successor.podUid,
        successorSessionId: String(registered.line['sessionId']),
      },
    };
  });
}

function containerIdOf(context: ContractContext, { podUid }: PodRef): string {
  const pod = context.watches.probePods.objects.find((candidate) => candidate.metadata.uid === podUid);
  const id = pod === undefined ? undefined : podStatus(pod).containerStatuses?.[0]?.containerID;
  if (id === undefined) throw new TypeError(`expected a running container in Pod ${podUid}`);
  return id;
}
