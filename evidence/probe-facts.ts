import type { ProbeId } from './observation.ts';

/** How a contest over one object ended for the delivery that lost the race: it found its own state, or it gave up. */
export type ContestEnding = 'converged' | 'refused';

type ContestFacts = {
  readonly deliveryId: string;
  /** HTTP status that the delivery's replace got. */
  readonly conflictStatus: number;
  readonly ending: ContestEnding;
  /** Code of the error when refused. */
  readonly errorCode: string | null;
};

type ForbiddenRequestFacts = {
  /** Kubernetes verb as in the audit log: get, list, create, delete, … */
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string | null;
  readonly name: string | null;
  readonly status: number;
};

type RefusedActionFacts = {
  readonly actionRef: string;
  readonly approvalRequestId: string | null;
  readonly errorCode: string;
};

type EgressFacts = {
  readonly podUid: string;
  /** IPv4 address. */
  readonly address: string;
  readonly port: number;
  readonly reached: boolean;
};

/**
 * The facts that a probe records, by probe. Each probe is recorded once, but `database-forbidden-statement` once for
 * each role. `startedAt` and `endedAt` of the observation enclose the attempt: the other witnesses are asked about
 * that window, so it must hold nothing else of the same identity.
 */
export interface ProbeFacts {
  'competing-writer-secret': ContestFacts;
  'competing-writer-deployment': ContestFacts;
  /** The executor died after the Secret's replace; `recoveredPublicationDigest` is what recovery then published. */
  'crash-between-secret-and-deployment': { readonly deliveryId: string; readonly signal: string; readonly recoveredPublicationDigest: string };
  /** The answer of a replace that the API server had carried out was thrown away. */
  'lost-replace-response': { readonly deliveryId: string; readonly resource: 'secrets' | 'deployments'; readonly ending: ContestEnding; readonly publicationDigest: string | null };
  /** `approvalRequestId` is the request that its own requester tried to decide. */
  'self-approval': RefusedActionFacts;
  /** Nothing may have come of the plan: no dispatch, no credential. */
  'expired-plan': RefusedActionFacts;
  'wrong-digest': RefusedActionFacts;
  'revoked-binding': RefusedActionFacts & { readonly userId: string };
  /** By the contract's own issuer on the host (impersonated `issuerUser`). */
  'issuer-forbidden-verb': ForbiddenRequestFacts;
  /** By the contract's delivery ServiceAccount, with a token of its own. */
  'delivery-forbidden-verb': ForbiddenRequestFacts;
  /** By the executor's ServiceAccount, with a token of its own. */
  'executor-forbidden-verb': ForbiddenRequestFacts;
  'database-forbidden-statement': { readonly role: string; readonly statement: string; readonly sqlState: string };
  /**
   * `sessionMembers`: every name by which something can be had from the session and from what it lends to the operation;
   * `disposedAt`: when the operation had ended; the call through the kept client came after it.
   */
  'disposed-client': { readonly threw: boolean; readonly sessionMembers: readonly string[]; readonly disposedAt: string };
  'superseded-token': { readonly credentialId: string; readonly status: number; readonly code: string };
  'revoked-token': { readonly credentialId: string; readonly status: number; readonly code: string };
  /** `localPort`: the client's port as the ingress sees it, or null where something lies between. */
  'handshake-without-certificate': { readonly refused: boolean; readonly localPort: number | null };
  'handshake-revoked-certificate': { readonly refused: boolean; readonly localPort: number | null; readonly fingerprint: string };
  'egress-inside': EgressFacts;
  'egress-outside': EgressFacts;
  'abandoned-session': {
    readonly workerId: string;
    readonly killedPodUid: string;
    readonly abandonedSessionId: string;
    readonly successorPodUid: string;
    readonly successorSessionId: string;
  };
}

/** Every probe has facts, and no facts are without a probe. */
export type FactsOf<P extends ProbeId> = ProbeFacts[P];
