import fc from 'fast-check';
import type { DeliveryIntent } from './delivery.ts';
import type { ManagementPlanContent } from './management-plan.ts';

/** For tests alone: values of the domain as fast-check makes them. */

const name = (maximum: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...'ABCxyz019'), fc.string({ unit: fc.constantFrom(...'ABCxyz019._:-'), maxLength: maximum - 1 }))
    .map(([head, tail]) => head + tail);

export const digests: fc.Arbitrary<string> = fc.string({
  unit: fc.constantFrom(...'0123456789abcdef'),
  minLength: 64,
  maxLength: 64,
});
export const uuids: fc.Arbitrary<string> = fc.uuid({ version: 4 });
export const sessionIds: fc.Arbitrary<string> = fc.uuid({ version: 7 });
export const names: fc.Arbitrary<string> = name(128);
export const instants: fc.Arbitrary<number> = fc.nat();
const credentials = name(64).chain((current) =>
  fc.option(name(64).filter((previous) => previous !== current)).map((previous) => [current, previous] as const),
);

export const intents: fc.Arbitrary<DeliveryIntent> = fc
  .tuple(credentials, fc.record({ deliveryId: uuids, workerId: names, secretDigest: digests, tokenDigest: digests, deploymentTargetDigest: digests, deploymentGeneration: names, stagedAtMs: instants }))
  .map(([[credentialId, previousCredentialId], rest]) => ({
    deliveryId: rest.deliveryId,
    workerId: rest.workerId,
    credentialId,
    credentialVersion: 1,
    previousCredentialId,
    secretDigest: rest.secretDigest,
    tokenDigest: rest.tokenDigest,
    deploymentTargetDigest: rest.deploymentTargetDigest,
    deploymentGeneration: rest.deploymentGeneration,
    stagedAtMs: rest.stagedAtMs,
  }));

export const planContents: fc.Arbitrary<ManagementPlanContent> = fc
  .record({ intent: intents, project: names, user: names, ref: names, plannedAtMs: instants, lifeMs: fc.integer({ min: 1, max: 900_000 }), credentialLifeMs: fc.integer({ min: 1, max: 63_072_000_000 }) })
  .map(({ intent, project, user, ref, plannedAtMs, lifeMs, credentialLifeMs }) => ({
    schema: 'qinglong/worker-credential-management-plan@v1',
    actionRef: ref,
    authorityProjectId: project,
    action: intent.previousCredentialId === null ? 'issue' : 'rotate',
    target: {
      deliveryId: intent.deliveryId,
      workerId: intent.workerId,
      credentialId: intent.credentialId,
      previousCredentialId: intent.previousCredentialId,
      credentialNotBeforeAtMs: intent.stagedAtMs,
      credentialExpiresAtMs: intent.stagedAtMs + credentialLifeMs,
      deploymentTargetDigest: intent.deploymentTargetDigest,
      deploymentGeneration: intent.deploymentGeneration,
    },
    requestedBy: { type: 'user', id: user },
    plannedAtMs,
    expiresAtMs: plannedAtMs + lifeMs,
  }));

/** The same object with its keys in another order: what comes from JSON has whatever order its writer liked. */
export function reversedKeys<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).toReversed()) as T;
}
