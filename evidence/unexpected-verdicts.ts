import type { Derivation } from './derive.ts';
import { ObservedRun } from './facts/observed-run.ts';
import type { GateName } from './gate-names.ts';
import type { Observation, ProbeId } from './observation.ts';
import { UNPROVABLE_ON_EMBEDDED } from './probes/all-probes.ts';
import { profileOf } from './profile.ts';
import type { Verdict } from './verdict.ts';

export interface UnexpectedVerdicts {
  readonly gates: readonly (readonly [GateName, Verdict])[];
  readonly probes: readonly (readonly [ProbeId, Verdict])[];
}

/** Gates and probes that do not hold although the run's platform can prove them. `passed` only repeats the others. */
export function unexpectedVerdicts({ gates, probes }: Pick<Derivation, 'gates' | 'probes'>, observations: readonly Observation[]): UnexpectedVerdicts {
  const run = new ObservedRun(observations);
  const { unproven } = profileOf(run);
  const embedded = run.last('run.started')?.body.substrate === 'embedded';
  return {
    gates: (Object.entries(gates) as [GateName, Verdict][]).filter(([name, gate]) => !gate.holds && name !== 'passed' && !unproven.includes(name)),
    probes: (Object.entries(probes) as [ProbeId, Verdict][]).filter(([id, probe]) => !probe.holds && !(embedded && UNPROVABLE_ON_EMBEDDED.includes(id))),
  };
}
