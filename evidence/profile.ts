import { fact, type ObservedRun } from './facts/observed-run.ts';
import { UNPROVEN_ON_EMBEDDED, type GateName } from './gate-names.ts';
import { rehearsalLimitations, RELEASE_LIMITATIONS } from './limitations.ts';
import { PINNED_BASE_IMAGE, PINNED_IMAGES, REHEARSAL_FIXTURE, RELEASE_FIXTURE } from './pins.ts';

/** What a run may claim to be. */
export interface Profile {
  readonly fixture: typeof RELEASE_FIXTURE | typeof REHEARSAL_FIXTURE;
  readonly unproven: readonly GateName[];
  readonly limitations: readonly string[];
}

/** Release evidence only when the container engine names the pinned images, platform and base, and the tree is that of a commit; a rehearsal otherwise. */
export const profileOf = fact((run: ObservedRun): Profile => {
  const started = run.last('run.started')?.body;
  const embedded = started?.substrate !== 'k3s';
  const treeClean = started?.treeClean === true;
  if (!embedded && treeClean && isPinnedPair(run) && isPinnedBase(run)) return { fixture: RELEASE_FIXTURE, unproven: [], limitations: RELEASE_LIMITATIONS };
  return { fixture: REHEARSAL_FIXTURE, unproven: embedded ? UNPROVEN_ON_EMBEDDED : [], limitations: rehearsalLimitations({ embedded, treeClean }) };
});

function isPinnedPair(run: ObservedRun): boolean {
  const [cluster, database] = [run.last('platform.cluster'), run.last('platform.database-container')];
  return (
    cluster?.witness === 'docker' &&
    database?.witness === 'docker' &&
    cluster.body.imageDigest === PINNED_IMAGES.k3s.digest &&
    database.body.imageDigest === PINNED_IMAGES.postgres.digest
  );
}

/** Whether each image was built from the pinned base, as the container engine named it: by name and digest. */
function isPinnedBase(run: ObservedRun): boolean {
  const built = run.of('image.built');
  const { name, digest } = PINNED_BASE_IMAGE;
  const isBase = (base: string | null): boolean => (digest === null ? base !== null && base.startsWith(`${name}@sha256:`) : base === `${name}@${digest}`);
  return built.length === 3 && built.every(({ witness, body }) => witness === 'docker' && isBase(body.baseImage));
}
