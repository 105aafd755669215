import { createHash } from 'node:crypto';
import { CONTRACT_NAMES as NAMES } from '../../evidence/contract-names.ts';
import type { ObservationBodies } from '../../evidence/observation.ts';
import { Authority, type Identity } from '../pki/authority.ts';
import type { ContractContext } from './context.ts';

/** What the identity Secret holds: the CA that the Worker trusts, and the Worker's own client identity. */
export interface WorkerIdentity {
  readonly authority: Authority;
  readonly client: Identity;
  readonly facts: ObservationBodies['pki.identity'];
}

/** With an authority of its own, or a further client identity under a given one. */
export async function createIdentity(generation: string, authority?: Authority): Promise<WorkerIdentity> {
  const issuer = authority ?? (await Authority.create(`ql3 rollout ${generation}`));
  const client = await issuer.issueClient(`ql3-worker-${generation}`);
  return {
    authority: issuer,
    client,
    facts: {
      generation,
      caDigest: createHash('sha256').update(issuer.certificatePem).digest('hex'),
      clientCertificateFingerprint: client.fingerprint,
      clientCertificateSerial: client.serial,
    },
  };
}

/** As much of an identity as its Secret needs. */
export interface IdentityMaterial {
  readonly authority: Pick<Authority, 'certificatePem'>;
  readonly client: Pick<Identity, 'certificatePem' | 'privateKeyPem'>;
  readonly facts: Pick<WorkerIdentity['facts'], 'generation'>;
}

export function identityParameters(identity: IdentityMaterial): { identityCa: Buffer; identityPrivateKey: Buffer; identityCertificate: Buffer } {
  return {
    identityCa: Buffer.from(identity.authority.certificatePem),
    identityPrivateKey: Buffer.from(identity.client.privateKeyPem),
    identityCertificate: Buffer.from(identity.client.certificatePem),
  };
}

/** The run says which identity it puts in place, before it does: others then see it arrive, or do not. */
export function recordIdentity(context: Pick<ContractContext, 'recorder'>, identity: WorkerIdentity): void {
  context.recorder.record('pki.identity', `secrets/${NAMES.workerNamespace}/${NAMES.identitySecret}`, identity.facts);
}
