import { CONTRACT_NAMES as NAMES } from '../../evidence/contract-names.ts';
import type { StepId } from '../../evidence/observation.ts';
import type { ContractContext } from './context.ts';
import { approveAction, executeAndReplay, type GenerationAction } from './host-action.ts';
import { createIdentity, recordIdentity, type WorkerIdentity } from './identity.ts';
import type { PodRef } from './pods.ts';
import { keepTargetToken, type KeptToken } from './probes/target-token.ts';
import { replacePod, waitForLine, waitForRest } from './rollout.ts';
import { step } from './step.ts';
import { runExecutorJob } from './steps/executor-job.ts';
import { removeByForce } from './steps/forced-pod-loss.ts';
import { changeDeployment, replaceIdentitySecret, withIdentityGeneration } from './steps/identity.ts';
import { createObjects } from './steps/objects.ts';

const SECOND_IDENTITY = 'actor-identity-b';

/** The two identities that the actor has one after the other. */
export type ActorIdentities = Promise<readonly [first: WorkerIdentity, second: WorkerIdentity]>;

/** Begun while the platform boots: keys and certificates take the processor a moment. */
export function createActorIdentities(): ActorIdentities {
  const identities = Promise.all([createIdentity('actor-identity-a'), createIdentity(SECOND_IDENTITY)]);
  identities.catch(() => undefined); // awaited by who needs them
  return identities;
}

/**
 * The objects, and the approval of the first generation, which needs none of them. Delivered at once, it replaces a Pod that is not on
 * a node yet; one whose volume is bound already would have to be stopped by the kubelet first.
 */
export async function prepareFirstGeneration(context: ContractContext, identities: ActorIdentities, ready: Promise<void>): Promise<GenerationAction> {
  const [action] = await Promise.all([approveAction(context, 1), createObjects(context, (await identities)[0], ready)]);
  return action;
}

/**
 * Phase A up to its third generation: the mechanics of a rotation, with an actor that writes down who it is and what it was given.
 * Returns the second generation's token, which must not open the door once it is revoked.
 */
export async function rotateUnderTheActor(context: ContractContext, firstAction: GenerationAction, reached: Promise<void>): Promise<KeptToken> {
  await step(context, 'generation-1', () => rollout(context, 'generation-1', () => executeAndReplay(context, firstAction)));
  const second = await step(context, 'generation-2', () => rollout(context, 'generation-2', async () => executeAndReplay(context, await approveAction(context, 2))));
  await reached; // without it the Job of the third generation would fail, and say less
  // an approval needs nothing of the rollout before it
  const [, thirdAction] = await step(context, 'forced-pod-loss', () => Promise.all([rollout(context, 'forced-pod-loss', () => removeByForce(context.cluster, second)), approveAction(context, 3)]));
  const secondToken = await keepTargetToken(context, 'revoked-token', NAMES.credentialIds[1]);
  await step(context, 'generation-3', () =>
    rollout(context, 'generation-3', async () => {
      await runExecutorJob(context, NAMES.executorJob, thirdAction.command);
      await runExecutorJob(context, NAMES.executorReplayJob, thirdAction.command);
    }),
  );
  return secondToken;
}

/** The end of phase A: the actor gets its identity from another authority. */
export async function moveActorIdentity(context: ContractContext, identities: ActorIdentities): Promise<void> {
  await rollout(context, 'identity-b', async () => {
    const [, identity] = await identities;
    recordIdentity(context, identity);
    await replaceIdentitySecret(context.cluster, NAMES, identity);
    await changeDeployment(context.cluster, NAMES, withIdentityGeneration(SECOND_IDENTITY));
  });
}

/** Does what causes a rollout, and waits until another Pod than before has written its start record, and nothing of the rollout is still to come. */
async function rollout(context: ContractContext, id: StepId, cause: () => Promise<unknown>): Promise<PodRef> {
  const pod = await replacePod(context, id, cause);
  await waitForLine(context, pod, 'started');
  await waitForRest(context.watches.workerDeployments, NAMES.deployment);
  return pod;
}
