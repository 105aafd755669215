import type { KubeConfig } from '@kubernetes/client-node';
import { CONTRACT_NAMES, PROBE_NAMES } from '../../evidence/contract-names.ts';
import type { ExecutorOutput, ObservationBodies } from '../../evidence/observation.ts';
import { executeCredentialAction, parsePepper, type AuthorityOptions, type AuthorizationQuestion, type ExecutionCommand, type ExecutionTargets, type TokenRequestEvent } from '../../images/cluster-admin/src/index.ts';
import { impersonate } from '../cluster/clients.ts';
import { expecting } from '../progress/activity.ts';
import type { ContractContext } from './context.ts';

/** Where one set of objects lies that a credential is delivered to: the contract's, or the probes'. */
export interface DeliveryPlace {
  readonly workerNamespace: string;
  readonly stageNamespace: string;
  readonly targetSecret: string;
  readonly targetDataKey: string;
  readonly deployment: string;
  readonly identitySecret: string;
  readonly deliveryServiceAccount: string;
  readonly issuerUser: string;
  /** Who asks for the delivery's token in recovery passes. */
  readonly recoveryUser: string;
}

export const CONTRACT_DELIVERY: DeliveryPlace = CONTRACT_NAMES;
export const PROBE_DELIVERY: DeliveryPlace = PROBE_NAMES;

export interface HostExecution {
  readonly output: ExecutorOutput;
  readonly deliveryId: string;
  readonly credentialId: string;
  readonly publicationDigest: string;
  /** Null when no TokenRequest session was needed. */
  readonly session: Omit<ObservationBodies['action.token-session'], 'generation'> | null;
}

export function targetOf(context: Pick<ContractContext, 'clusterIdentity'>, place: DeliveryPlace): Required<Omit<ExecutionTargets, 'serviceAccountName' | 'identitySecretName'>> {
  return {
    clusterIdentity: context.clusterIdentity,
    stageNamespace: place.stageNamespace,
    namespace: place.workerNamespace,
    targetSecretName: place.targetSecret,
    targetDataKey: place.targetDataKey,
    targetDeploymentName: place.deployment,
  };
}

/** The authority that a host action is given: the impersonated issuer, the place, the executor's database role. */
export function authorityFor(context: ContractContext, place: DeliveryPlace, through: KubeConfig = context.cluster.config, issuer = place.issuerUser): AuthorityOptions {
  return {
    cluster: impersonate(through, issuer),
    targets: { ...targetOf(context, place), serviceAccountName: place.deliveryServiceAccount, identitySecretName: place.identitySecret },
    database: context.database.configOf('ql3_worker_credential_executor'),
    signal: context.signal,
  };
}

/** Executes one approved action on the host through the product's public interface, as an operator's own program would. */
export async function executeOnHost(
  context: ContractContext,
  place: DeliveryPlace,
  command: ExecutionCommand,
  onConfirm: (question: AuthorizationQuestion) => void = () => undefined,
  through?: KubeConfig,
): Promise<HostExecution> {
  const pepper = parsePepper(context.pepper);
  const account = new SessionAccount();
  try {
    const outcome = await expecting({ expected: `the host to execute action ${command.actionRef}` }, (wait) =>
      executeCredentialAction({
        ...authorityFor(context, place, through),
        command,
        pepper,
        confirmAuthorization: (question) => {
          wait.saw(`authorization was asked for: ${question.purpose}`);
          return Promise.resolve(onConfirm(question));
        },
        onEvent: (event) => {
          wait.saw(`event ${event.event}`);
          account.hear(event);
        },
      }),
    );
    const { actionRef, dispatchId, executionStatus, deliveryStatus, tokenRequestUsed, deliveryId, credentialId, publicationDigest } = outcome;
    return {
      output: { schemaVersion: 1, component: 'qinglong3-worker-credential-executor', event: 'execution_completed', actionRef, dispatchId, executionStatus, deliveryStatus, tokenRequestUsed },
      deliveryId,
      credentialId,
      publicationDigest,
      session: account.told(),
    };
  } finally {
    pepper.fill(0);
  }
}

type Started = Extract<TokenRequestEvent, { readonly event: 'token_request_session_started' }>;
type Ended = Extract<TokenRequestEvent, { readonly event: 'token_request_session_ended' }>;

/** Puts together what the product tells of its TokenRequest session while it lasts. */
export class SessionAccount {
  #started: Started | null = null;
  #ended: Ended | null = null;

  hear(event: { readonly event: string }): void {
    if (event.event === 'token_request_session_started') this.#started = event as Started;
    if (event.event === 'token_request_session_ended') this.#ended = event as Ended;
  }

  told(): HostExecution['session'] {
    if (this.#started === null || this.#ended === null) return null;
    return {
      startedAt: new Date(this.#started.atMs).toISOString(),
      endedAt: new Date(this.#ended.atMs).toISOString(),
      ...this.#started.evidence,
      clientDisposed: this.#ended.clientDisposed,
    };
  }
}
