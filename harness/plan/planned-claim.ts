import { UNPROVEN_ON_EMBEDDED, type GateName } from '../../evidence/gate-names.ts';
import { rehearsalLimitations, RELEASE_LIMITATIONS } from '../../evidence/limitations.ts';
import { REHEARSAL_FIXTURE, RELEASE_FIXTURE } from '../../evidence/pins.ts';
import { OVERRIDES } from '../substrate/k3s/platform-images.ts';
import type { SourceTree, SubstrateKind } from '../substrate/substrate.ts';

/** What the report of the run may claim to be, as far as it is decided before the run. */
export interface PlannedClaim {
  readonly fixture: string;
  readonly kind: 'release' | 'rehearsal';
  /** Why it is a rehearsal; empty for a release. */
  readonly because: readonly string[];
  /** Why the run will be refused as it is; null when it will not. */
  readonly refused: string | null;
  readonly unproven: readonly GateName[];
  readonly limitations: readonly string[];
}

export function planClaim(substrate: SubstrateKind, source: Pick<SourceTree, 'clean'>, environment: Readonly<Record<string, string | undefined>>): PlannedClaim {
  const embedded = substrate === 'embedded';
  const overridden = embedded ? [] : Object.values(OVERRIDES).filter((variable) => environment[variable]);
  const changed = 'the source tree has changes that no commit holds';
  const isRefused = !embedded && overridden.length === 0 && !source.clean;
  const because = [...(embedded ? ['the cluster is the embedded one, which is not Kubernetes'] : []), ...overridden.map((variable) => `${variable} names ${environment[variable]} instead of the pinned image`), ...(source.clean || isRefused ? [] : [changed])];
  if (because.length === 0) return { fixture: RELEASE_FIXTURE, kind: 'release', because, refused: isRefused ? `${changed}: release evidence needs a clean tree` : null, unproven: [], limitations: RELEASE_LIMITATIONS };
  return { fixture: REHEARSAL_FIXTURE, kind: 'rehearsal', because, refused: null, unproven: embedded ? UNPROVEN_ON_EMBEDDED : [], limitations: rehearsalLimitations({ embedded, treeClean: source.clean }) };
}
