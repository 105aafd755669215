import { CONTRACT_NAMES as NAMES } from '../../evidence/contract-names.ts';
import type { StepId } from '../../evidence/observation.ts';
import { manifestOf, renderManifests } from '../manifests/render.ts';
import type { ContractContext } from './context.ts';
import { approveAction, executeAndReplay } from './host-action.ts';
import { createIdentity, recordIdentity, type WorkerIdentity } from './identity.ts';
import { keepTargetToken, type KeptToken } from './probes/target-token.ts';
import { CONTRACT_DELIVERY } from './host-execution.ts';
import { recoverDeliveriesOf } from './recovery.ts';
import { replacePod } from './rollout.ts';
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
export async function rotateUnderTheProduct(context: ContractContext, ingress: Ingress, secondToken: KeptToken): Promise<ProductRotations> {
  const [first, second] = await Promise.all([createIdentity('product-identity-a', ingress.authority), createIdentity('product-identity-b', ingress.authority)]);
  const thirdToken = await keepTargetToken(context, 'superseded-token', NAMES.credentialIds[2]);
  const [, fourthAction] = await step(context, 'session-1', () => Promise.all([openFirstSession(context, first), approveAction(context, 4)]));
  await step(context, 'generation-4', () => rollout(context, 'generation-4', () => executeAndReplay(context, fourthAction)));
  const recovered = recoverUnfinished(context);
  recovered.catch(() => undefined); // awaited below; a step that fails before is told first
  const last = step(context, 'product-identity-b', () =>
    rollout(context, 'product-identity-b', async () => {
      recordIdentity(context, second);
      await replaceIdentitySecret(context.cluster, NAMES, second);
      await changeDeployment(context.cluster, NAMES, withIdentityGeneration(second.facts.generation));
    }),
  );
  await Promise.race([context.lulls.until('product-identity-b', 'registered'), last]);
  await recovered;
  return { last, replaced: { credentials: [secondToken, thirdToken], identity: first, currentIdentity: second } };
}

/** The Deployment becomes the production Worker, with an identity that the ingress knows. */
async function openFirstSession(context: ContractContext, identity: WorkerIdentity): Promise<void> {
  await rollout(context, 'session-1', async () => {
    recordIdentity(context, identity);
    await replaceIdentitySecret(context.cluster, NAMES, identity);
    const production = manifestOf(
      renderManifests('worker-production', { workerImage: context.images.worker.name, identityGeneration: identity.facts.generation, controlNamespace: NAMES.workerNamespace }),
      'Deployment',
    );
    await changeDeployment(context.cluster, NAMES, withTemplateOf(production));
  });
}

/** What the session of the last generation has confirmed is finished by recovery passes. They need nothing of the steps that follow, and touch nothing of theirs. */
async function recoverUnfinished(context: ContractContext): Promise<void> {
  const passes = await recoverDeliveriesOf(context, CONTRACT_DELIVERY);
  for (const pass of passes) context.recorder.record('action.recovery-session', NAMES.workerId, pass);
}

/** Does what causes a rollout, and waits until another Pod than before has a session with a heartbeat of its own. */
async function rollout(context: ContractContext, id: StepId, cause: () => Promise<unknown>): Promise<Session> {
  return await waitForOwnHeartbeat(context, await replacePod(context, id, cause), () => context.lulls.begin(id, 'registered'));
}
