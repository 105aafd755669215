import { CONTRACT_NAMES as NAMES } from '../../evidence/contract-names.ts';
import type { Generation } from '../../evidence/observation.ts';
import type { ContractContext } from './context.ts';
import { approve, type ActionOwner, type ApprovedAction } from './approval.ts';
import { CONTRACT_DELIVERY, executeOnHost } from './host-execution.ts';

const OWNER: ActionOwner = { projectId: NAMES.projectId, requester: NAMES.requester, decider: NAMES.decider };

export interface GenerationAction extends ApprovedAction {
  readonly generation: Generation;
}

/** Plans, proposes and has decided the action that makes one generation of the contract's credential. */
export async function approveAction(context: ContractContext, generation: Generation): Promise<GenerationAction> {
  const credentialId = NAMES.credentialIds[generation - 1] as string;
  const approved = await approve(context, OWNER, {
    actionRef: `live/${credentialId}`,
    workerId: NAMES.workerId,
    credentialId,
    previousCredentialId: generation === 1 ? null : (NAMES.credentialIds[generation - 2] as string),
    deploymentGeneration: NAMES.deploymentGenerations[generation - 1] as string,
    delivery: CONTRACT_DELIVERY,
  });
  return { ...approved, generation };
}

/** Executes the action on the host, and then exactly once more: the second answer must come without any authority being used. */
export async function executeAndReplay(context: ContractContext, action: GenerationAction): Promise<void> {
  for (const replay of [false, true]) {
    const { generation } = action;
    const { output, session, deliveryId, credentialId, publicationDigest } = await executeOnHost(context, CONTRACT_DELIVERY, action.command, ({ purpose, actionRef }) => {
      context.recorder.record('action.authorization-confirmed', actionRef, { generation, replay, purpose, actionRef });
    });
    if (session !== null) context.recorder.record('action.token-session', action.command.actionRef, { generation, ...session });
    context.recorder.record('action.completed', action.command.actionRef, { generation, replay, output, deliveryId, credentialId, publicationDigest });
  }
}

