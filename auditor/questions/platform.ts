import { PINNED_IMAGES, PINNED_KUBERNETES_VERSION, REHEARSAL_FIXTURE, RELEASE_FIXTURE } from '../../evidence/pins.ts';
import type { Report } from '../../evidence/report.ts';
import { equal, type AuditContext, type Question } from './question.ts';

/** Clocks of the machine that observed and of the one that audits may differ by this much. */
const FUTURE_TOLERANCE_MS = 60_000;

/** Is it the report of the kind that was asked for, of a time that can be, from the pinned cluster image? */
export const platform: Question = (report, context) => [
  fixtureFault(report, context),
  ...timeFaults(report, context),
  /^0+$/.test(report.sourceRevision) ? 'sourceRevision: expected the revision of a commit, got zeros' : null,
  equal('postgresql.architecture', report.postgresql.architecture, report.kubernetes.architecture),
  ...(context.profile === 'release' ? releaseFaults(report) : rehearsalFaults(report)),
];

/** Who forgot the profile is told of it; a rehearsal stays what it is. */
function fixtureFault({ fixture }: Report, { profile }: AuditContext): string | null {
  const fault = equal('fixture', fixture, profile === 'release' ? RELEASE_FIXTURE : REHEARSAL_FIXTURE);
  if (fault === null) return null;
  return `${fault}: ${profile === 'release' ? 'this is a rehearsal, which is no release evidence; --profile=rehearsal judges it as one' : 'this calls itself release evidence; --profile=release judges it as that'}`;
}

function timeFaults({ observedAt }: Report, { now, sourceCommittedAt }: AuditContext): (string | null)[] {
  const observed = new Date(observedAt);
  if (Number.isNaN(observed.getTime()) || observed.toISOString() !== observedAt) return [`observedAt: expected an instant of the calendar, got ${observedAt}`];
  return [
    observed.getTime() > now.getTime() + FUTURE_TOLERANCE_MS ? `observedAt: expected a time that has come, got ${observedAt}` : null,
    sourceCommittedAt !== null && observed < sourceCommittedAt ? `observedAt: expected a time after the source revision of ${sourceCommittedAt.toISOString()}, got ${observedAt}` : null,
  ];
}

function releaseFaults({ kubernetes }: Report): (string | null)[] {
  const { name, digest } = PINNED_IMAGES.k3s;
  return [
    equal('kubernetes.distribution', kubernetes.distribution, 'k3s'),
    namesPinned('kubernetes.image', kubernetes.image, name, digest),
    equal('kubernetes.imageDigest', kubernetes.imageDigest, digest),
    equal('kubernetes.serverVersion', kubernetes.serverVersion, PINNED_KUBERNETES_VERSION),
  ];
}

/** What says that it is embedded has no image; what has an image names its digest. And what ran on the pinned pair is no rehearsal of it, unless the tree was not clean. */
function rehearsalFaults({ kubernetes, sourceRevision }: Report): (string | null)[] {
  const { distribution, image, imageDigest } = kubernetes;
  const embedded = distribution === 'embedded';
  return [
    embedded && (image !== null || imageDigest !== null) ? 'kubernetes.image: expected null on the embedded cluster' : null,
    !embedded && (image === null || imageDigest === null) ? 'kubernetes.image: expected the image that the cluster ran from, with its digest' : null,
    sourceRevision.length === 40 ? null : 'sourceRevision: expected 40 hex characters',
  ];
}

/** By its tag alone, or by tag and digest. */
export function namesPinned(path: string, image: string | null, name: string, digest: string): string | null {
  return image === name || image === `${name}@${digest}` ? null : `${path}: expected ${name}@${digest}, got ${JSON.stringify(image)}`;
}
