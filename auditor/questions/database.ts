import { PINNED_IMAGES } from '../../evidence/pins.ts';
import { equal, fixedValues, type Question } from './question.ts';
import { namesPinned } from './platform.ts';

/** Is it the pinned PostgreSQL, migrated, with manager and executor apart? */
export const database: Question = (report, { profile }) => {
  const { image, imageDigest, imageId, migrationId, managerRole, executorRole } = report.postgresql;
  const { name, digest } = PINNED_IMAGES.postgres;
  const whole = [image, imageDigest, imageId].filter((value) => value !== null).length;
  return [
    ...fixedValues(report, 'postgresql'),
    managerRole === executorRole ? 'postgresql: expected two roles for manager and executor, got one' : null,
    /^\d{4}-[a-z0-9-]{1,60}$/.test(migrationId) ? null : `postgresql.migrationId: expected <4 digits>-<name>, got ${JSON.stringify(migrationId)}`,
    ...(profile === 'release'
      ? [namesPinned('postgresql.image', image, name, digest), equal('postgresql.imageDigest', imageDigest, digest)]
      : [whole === 0 || whole === 3 ? null : 'postgresql: expected image, imageDigest and imageId together, or none of them']),
    imageId !== null && imageId === report.productionWorker.workerImageId ? 'postgresql.imageId: expected another image than the Worker’s' : null,
  ];
};
