import { CONTRACT_NAMES as NAMES } from '../../evidence/contract-names.ts';
import { manifestOf, renderManifests } from '../manifests/render.ts';
import type { ContractContext } from './context.ts';
import { approveAction, executeAndReplay } from './host-action.ts';
import { createIdentity, recordIdentity, type WorkerIdentity } from './identity.ts';
import { keepTargetToken, type KeptToken } from './probes/target-token.ts';
import { CONTRACT_DELIVERY } from './host-execution.ts';
import type { Lulls } from './lulls.ts';
import { recoverDeliveriesOf } from './recovery.ts';
import { podUids, waitForEnd, waitForSuccessor } from './rollout.ts';
import { step } from './step.ts';
import { changeDeployment, replaceIdentitySecret, withIdentityGeneration, withTemplateOf } from './steps/identity.ts';
import type { Ingress } from './steps/ingress.ts';
import { waitForOwnHeartbeat, type Session } from './steps/session.ts';

/** What the probes at the ingress present again after it was replaced. Tokens stay in memory and are zeroed by who uses them. */
export interface Replaced {
  readonly credentials: readonly KeptToken[];
  readonly identity: WorkerIdentity;
  readonly currentIdentity: WorkerIdentity;
}

export interface ProductRotations {
  /** Settles with the step of the last one: its session has a heartbeat of its own. */
  readonly last: Promise<Session>;
  readonly replaced: Replaced;
}

/**
 * Phase B: the production images on the same Deployment, volume and target Secret. Ends when the last session is there: all that was
 * replaced is out of use then, and may be presented again while that session comes to its heartbeat.
 */
export async function rotateUnderTheProduct(context: ContractContext, ingress: Ingress, secondToken: KeptToken, lulls: Lulls): Promise<ProductRotations> {
  const [first, second] = await Promise.all([createIdentity('product-identity-a', ingress.authority), createIdentity('product-identity-b', ingress.authority)]);
  const thirdToken = await keepTargetToken(context, 'superseded-token', NAMES.credentialIds[2]);
  const [, fourthAction] = await step(context, 'session-1', () => Promise.all([openFirstSession(context, first, lulls), approveAction(context, 4)]));
  await step(context, 'generation-4', () => rollout(context, () => executeAndReplay(context, fourthAction), { onRegistered: () => lulls.begin('second-heartbeat') }));
  const recovered = recoverUnfinished(context);
  recovered.catch(() => undefined); // awaited below; a step that fails before is told first
  const { promise: registered, resolve: onRegistered, reject } = Promise.withResolvers<void>();
  const last = step(context, 'product-identity-b', () =>
    rollout(
      context,
      async () => {
        recordIdentity(context, second);
        await replaceIdentitySecret(context.cluster, NAMES, second);
        await changeDeployment(context.cluster, NAMES, withIdentityGeneration(second.facts.generation));
      },
      { onRegistered },
    ),
  );
  last.catch(reject);
  await Promise.all([registered, recovered]);
  return { last, replaced: { credentials: [secondToken, thirdToken], identity: first, currentIdentity: second } };
}

/** The Deployment becomes the production Worker, with an identity that the ingress knows. */
async function openFirstSession(context: ContractContext, identity: WorkerIdentity, lulls: Lulls): Promise<void> {
  const becomeTheProduct = async (): Promise<void> => {
    recordIdentity(context, identity);
    await replaceIdentitySecret(context.cluster, NAMES, identity);
    const production = manifestOf(
      renderManifests('worker-production', { workerImage: context.images.worker.name, identityGeneration: identity.facts.generation, controlNamespace: NAMES.workerNamespace }),
      'Deployment',
    );
    await changeDeployment(context.cluster, NAMES, withTemplateOf(production));
  };
  await rollout(context, becomeTheProduct, { onEnd: () => lulls.begin('session-1'), onRegistered: () => lulls.begin('first-heartbeat') });
}

/** What the session of the last generation has confirmed is finished by recovery passes. They need nothing of the steps that follow, and touch nothing of theirs. */
async function recoverUnfinished(context: ContractContext): Promise<void> {
  const passes = await recoverDeliveriesOf(context, CONTRACT_DELIVERY);
  for (const pass of passes) context.recorder.record('action.recovery-session', NAMES.workerId, pass);
}

/** Does what causes a rollout, and waits until another Pod than before has a session with a heartbeat of its own. */
async function rollout(
  context: ContractContext,
  cause: () => Promise<unknown>,
  { onEnd = () => undefined, onRegistered }: { readonly onEnd?: () => void; readonly onRegistered?: () => void } = {},
): Promise<Session> {
  const { workerPods } = context.watches;
  const before = podUids(workerPods);
  await cause();
  const [pod] = await Promise.all([waitForSuccessor(workerPods, NAMES.deployment, before), waitForEnd(workerPods, NAMES.deployment, before).then(onEnd)]);
  return await waitForOwnHeartbeat(context, pod, onRegistered);
}
