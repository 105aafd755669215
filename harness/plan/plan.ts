import { PROBE_IDS, type ProbeId, type StepId } from '../../evidence/observation.ts';
import { UNPROVABLE_ON_EMBEDDED } from '../../evidence/probes/all-probes.ts';
import { STEPS, type StepDefinition } from '../contract/step-catalogue.ts';
import { Forecast } from '../progress/forecast.ts';
import { readDurations } from '../progress/durations.ts';
import { median } from '../progress/median.ts';
import type { SourceTree, SubstrateKind } from '../substrate/substrate.ts';
import { planClaim, type PlannedClaim } from './planned-claim.ts';
import { planImages, type PlannedImage } from './planned-images.ts';
import { planObjects, type PlannedObject } from './planned-objects.ts';
import { planPlatform, type PlannedThing } from './planned-platform.ts';
import { planWrites, type PlannedWrite, type WritePlanOptions } from './planned-writes.ts';
import { BESIDE, SIDE_PROBES, SIDE_PROBES_DEFINITION } from './side-probes.ts';

export interface PlanOptions extends WritePlanOptions {
  readonly substrate: SubstrateKind;
  readonly source: SourceTree;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface PlannedStep extends StepDefinition {
  readonly id: StepId | typeof SIDE_PROBES;
  /** How long it took on this machine, by the median of earlier runs; null without any. */
  readonly tookMs: number | null;
}

export interface Plan {
  readonly substrate: SubstrateKind;
  readonly source: Pick<SourceTree, 'revision' | 'clean'>;
  readonly claim: PlannedClaim;
  readonly images: readonly PlannedImage[];
  readonly steps: readonly PlannedStep[];
  /** Of the whole run on this machine, by the median of earlier ones. */
  readonly tookMs: number | null;
  readonly probes: readonly { readonly id: ProbeId; readonly isTried: boolean }[];
  readonly objects: readonly PlannedObject[];
  readonly writes: readonly PlannedWrite[];
  readonly platform: readonly PlannedThing[];
}

/** What a run would do, told without doing any of it: from the same constants and functions that the run uses. */
export function makePlan(options: PlanOptions): Plan {
  const { substrate, source, environment } = options;
  const past = readDurations(substrate);
  return {
    substrate,
    source: { revision: source.revision, clean: source.clean },
    claim: planClaim(substrate, source, environment),
    images: planImages(substrate, environment),
    steps: Object.entries(STEPS).flatMap(([id, definition]): readonly PlannedStep[] => [
      ...(id === BESIDE ? [{ id: SIDE_PROBES, ...SIDE_PROBES_DEFINITION, tookMs: null } as const] : []),
      { id: id as StepId, ...definition, tookMs: median(past.flatMap(({ steps }) => durationOf(steps[id as StepId]))) },
    ]),
    tookMs: new Forecast(past).totalMs,
    probes: PROBE_IDS.map((id) => ({ id, isTried: substrate === 'k3s' || !UNPROVABLE_ON_EMBEDDED.includes(id) })),
    objects: planObjects(substrate),
    writes: planWrites({ ...options, embedded: substrate === 'embedded' }),
    platform: planPlatform(substrate, environment),
  };
}

function durationOf(span: { readonly startMs: number; readonly endMs: number } | undefined): readonly number[] {
  return span === undefined ? [] : [span.endMs - span.startMs];
}
