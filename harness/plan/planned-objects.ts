import { CONTRACT_NAMES as NAMES } from '../../evidence/contract-names.ts';
import type { StepId } from '../../evidence/observation.ts';
import { creationWaves } from '../contract/apply.ts';
import { operatorObjects } from '../contract/steps/objects.ts';
import { executorJobObjects } from '../contract/steps/executor-job.ts';
import { controlObjects } from '../contract/steps/ingress.ts';
import { probeObjects } from '../contract/probes/probe-objects.ts';
import { originOf, renderManifests, type ManifestObject } from '../manifests/render.ts';
import type { SubstrateKind } from '../substrate/substrate.ts';
import { MADE_BY_RUN, plannedIdentity, plannedValues } from './planned-values.ts';
import { SIDE_PROBES } from './side-probes.ts';

export interface PlannedObject {
  readonly step: StepId | typeof SIDE_PROBES;
  readonly kind: string;
  /** Null for an object that is in no namespace. */
  readonly namespace: string | null;
  readonly name: string;
  /** Where it stands, from the repository's root. */
  readonly file: string;
  readonly patches: readonly string[];
  readonly object: ManifestObject;
}

/** Every object that a run creates, in the order of their creation, by the functions that the steps themselves use. */
export function planObjects(substrate: SubstrateKind): readonly PlannedObject[] {
  const values = plannedValues(substrate);
  const made = Buffer.from(MADE_BY_RUN);
  const [actor, probe] = [plannedIdentity('actor-identity-a'), plannedIdentity('probe-identity')];
  const enforcesNetworkPolicy = substrate === 'k3s';
  return [
    ...inStep('objects', operatorObjects(values, actor)),
    ...inStep('generation-3', executorJobObjects(values, NAMES.executorJob, MADE_BY_RUN)),
    ...inStep('generation-3', executorJobObjects(values, NAMES.executorReplayJob, MADE_BY_RUN)),
    ...inStep('ingress', controlObjects(values, actor.authority, actor.client, MADE_BY_RUN)),
    ...inStep(SIDE_PROBES, probeObjects(values, probe)),
    ...(enforcesNetworkPolicy ? inStep(SIDE_PROBES, renderManifests('egress-probe', { adminImage: values.images.admin.name, inside: MADE_BY_RUN, outside: MADE_BY_RUN })) : []),
    ...inStep('probes', renderManifests('ingress-probe', { workerImage: values.images.worker.name, script: MADE_BY_RUN, attempts: made })),
  ];
}

function inStep(step: PlannedObject['step'], objects: readonly ManifestObject[]): readonly PlannedObject[] {
  return creationWaves(objects).flat().map((object) => {
    const origin = originOf(object);
    if (origin === null) throw new TypeError(`expected to know the file of ${object.kind} ${object.metadata.name}`);
    return { step, kind: object.kind, namespace: object.metadata.namespace ?? null, name: object.metadata.name, ...origin, object };
  });
}
