import { randomUUID } from 'node:crypto';
import { CONTRACT_NAMES, PROBE_NAMES } from '../../../evidence/contract-names.ts';
import { approve, commandFor, decide, plan, propose, type ActionOwner } from '../approval.ts';
import type { ContractContext } from '../context.ts';
import { executeOnHost, PROBE_DELIVERY } from '../host-execution.ts';
import { recordProbe } from './record-probe.ts';

const OWNER: ActionOwner = { projectId: PROBE_NAMES.projectId, requester: CONTRACT_NAMES.requester, decider: CONTRACT_NAMES.decider };
const SHORT_LIFE_MS = 1;

/** Four ways in which an action must not come about. Nothing may follow of any of them: no dispatch, no credential. */
export async function probeApprovals(context: ContractContext): Promise<void> {
  await probeSelfApproval(context);
  await probeExpiredPlan(context);
  await probeWrongDigest(context);
  await probeRevokedBinding(context);
}

async function probeSelfApproval(context: ContractContext): Promise<void> {
  const planned = await plan(context, OWNER, request('self-approval'));
  const proposed = await propose(context, OWNER.requester, planned);
  await recordProbe(context, 'self-approval', `${OWNER.requester} decides their own request`, async () => {
    const errorCode = await codeOf(() => decide(context, OWNER.requester, proposed));
    return { outcome: errorCode, facts: { actionRef: planned.actionRef, approvalRequestId: proposed.requestId, errorCode } };
  });
}

async function probeExpiredPlan(context: ContractContext): Promise<void> {
  const planned = await plan(context, OWNER, { ...request('expired-plan'), lifeMs: SHORT_LIFE_MS });
  await recordProbe(context, 'expired-plan', 'a plan is proposed after its life', async () => {
    const errorCode = await codeOf(() => propose(context, OWNER.requester, planned));
    return { outcome: errorCode, facts: { actionRef: planned.actionRef, approvalRequestId: null, errorCode } };
  });
}

async function probeWrongDigest(context: ContractContext): Promise<void> {
  const planned = await plan(context, OWNER, request('wrong-digest'));
  await recordProbe(context, 'wrong-digest', 'a proposal for another digest than the plan’s', async () => {
    const errorCode = await codeOf(() => propose(context, OWNER.requester, planned, { planDigest: 'f'.repeat(64) }));
    return { outcome: errorCode, facts: { actionRef: planned.actionRef, approvalRequestId: null, errorCode } };
  });
}

/** The requester loses their role between the approval and its use: the executor must see it before any authority is used. */
async function probeRevokedBinding(context: ContractContext): Promise<void> {
  const owner = { ...OWNER, requester: PROBE_NAMES.revokedUser };
  const { plan: planned, requestId } = await approve(context, owner, request('revoked-binding'));
  await context.database.revokeBinding(PROBE_NAMES.projectId, PROBE_NAMES.revokedUser);
  await recordProbe(context, 'revoked-binding', `${PROBE_NAMES.revokedUser}’s approved action is executed after their binding was revoked`, async () => {
    const errorCode = await codeOf(() => executeOnHost(context, PROBE_DELIVERY, commandFor(planned, requestId)));
    return { outcome: errorCode, facts: { actionRef: planned.actionRef, approvalRequestId: requestId, errorCode, userId: PROBE_NAMES.revokedUser } };
  });
}

function request(name: string): Parameters<typeof plan>[2] {
  return {
    actionRef: `probe/${name}`,
    workerId: `${PROBE_NAMES.workerId}-${name}`,
    credentialId: `probe_${name.replaceAll('-', '_')}_${randomUUID().slice(0, 8)}`,
    previousCredentialId: null,
    deploymentGeneration: `generation-probe-${name}`,
    delivery: PROBE_DELIVERY,
  };
}

/** The code of the refusal, or `none` when the attempt succeeded: what that means is for others to say. */
async function codeOf(attempt: () => Promise<unknown>): Promise<string> {
  try {
    await attempt();
    return 'none';
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'string') return code;
    throw error;
  }
}
