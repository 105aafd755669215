import { CONTRACT_NAMES as NAMES } from '../../evidence/contract-names.ts';
import type { ContractContext } from './context.ts';
import { approveAction, executeAndReplay } from './host-action.ts';
import { createIdentity, recordIdentity } from './identity.ts';
import type { PodRef } from './pods.ts';
import { keepTargetToken, type KeptToken } from './probes/target-token.ts';
import { podUids, waitForLine, waitForRest, waitForSuccessor } from './rollout.ts';
import { step } from './step.ts';
import { runExecutorJob } from './steps/executor-job.ts';
import { removeByForce } from './steps/forced-pod-loss.ts';
import { changeDeployment, replaceIdentitySecret, withIdentityGeneration } from './steps/identity.ts';

const SECOND_IDENTITY = 'actor-identity-b';

/**
 * Phase A up to its third generation: the mechanics of a rotation, with an actor that writes down who it is and what it was given.
 * Returns the second generation's token, which must not open the door once it is revoked.
 */
export async function rotateUnderTheActor(context: ContractContext): Promise<KeptToken> {
  await step(context, 'generation-1', () => rollout(context, async () => executeAndReplay(context, await approveAction(context, 1))));
  const second = await step(context, 'generation-2', () => rollout(context, async () => executeAndReplay(context, await approveAction(context, 2))));
  await step(context, 'forced-pod-loss', () => rollout(context, () => removeByForce(context.cluster, second)));
  const secondToken = await keepTargetToken(context, 'revoked-token', NAMES.credentialIds[1]);
  await step(context, 'generation-3', async () => {
    const action = await approveAction(context, 3);
    await rollout(context, async () => {
      await runExecutorJob(context, NAMES.executorJob, action.command);
      await runExecutorJob(context, NAMES.executorReplayJob, action.command);
    });
  });
  return secondToken;
}

/** The end of phase A: the actor gets its identity from another authority. */
export async function moveActorIdentity(context: ContractContext): Promise<void> {
  await rollout(context, async () => {
    const identity = await createIdentity(SECOND_IDENTITY);
    recordIdentity(context, identity);
    await replaceIdentitySecret(context.cluster, NAMES, identity);
    await changeDeployment(context.cluster, NAMES, withIdentityGeneration(SECOND_IDENTITY));
  });
}

/** Does what causes a rollout, and waits until another Pod than before has written its start record, and nothing of the rollout is still to come. */
async function rollout(context: ContractContext, cause: () => Promise<unknown>): Promise<PodRef> {
  const before = podUids(context.watches.workerPods);
  await cause();
  const pod = await waitForSuccessor(context.watches.workerPods, NAMES.deployment, before);
  await waitForLine(context, pod, 'started');
  await waitForRest(context.watches.workerDeployments, NAMES.deployment);
  return pod;
}
