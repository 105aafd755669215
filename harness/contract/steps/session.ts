import type { ContractContext } from '../context.ts';
import { DEADLINES } from '../deadlines.ts';
import type { PodRef } from '../pods.ts';
import { waitForLine } from '../rollout.ts';

export interface Session {
  readonly pod: PodRef;
  readonly sessionId: string;
}

/** A session counts when it is online and has had a heartbeat of its own, seen by the ingress and not by the Worker that claims it. */
export async function waitForOwnHeartbeat(context: ContractContext, pod: PodRef, onRegistered: () => void): Promise<Session> {
  const registered = await waitForLine(context, pod, 'registered');
  const sessionId = String(registered.line['sessionId']);
  onRegistered();
  await context.spans.measure(`heartbeat ${pod.podName}`, () =>
    context.lines.until(
      `the ingress to accept a heartbeat of session ${sessionId} (Pod ${pod.podName})`,
      ({ line }) => line['event'] === 'worker_request' && line['operation'] === 'heartbeat' && line['sessionId'] === sessionId && line['status'] === 200,
      DEADLINES.heartbeatMs,
    ),
  );
  return { pod, sessionId };
}
