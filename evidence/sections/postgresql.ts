import { contractVersion } from '../facts/database-platform.ts';
import { commonOf } from '../facts/group-by.ts';
import { fact, type ObservedRun } from '../facts/observed-run.ts';
import type { ObservationBodies } from '../observation.ts';
import type { DraftSection } from '../report.ts';
import { architectureOf } from './kubernetes.ts';

export const postgresqlSection = fact((run: ObservedRun): DraftSection<'postgresql'> => {
  const [container, database] = [run.last('platform.database-container')?.body, run.last('platform.database')?.body];
  return {
    image: container?.image ?? null,
    imageDigest: container?.imageDigest ?? null,
    imageId: container?.imageId ?? null,
    architecture: architectureOf(container?.architecture),
    contractVersion: contractVersion(run),
    migrationId: database?.migrationIds.at(-1) ?? null,
    managerRole: currentUserOf(run, 'manager'),
    executorRole: currentUserOf(run, 'executor'),
  };
});

/** What `current_user` was on every connection of that kind; null when they disagree. */
function currentUserOf(run: ObservedRun, connection: ObservationBodies['database.current-user']['connection']): string | null {
  return commonOf(run.of('database.current-user').filter(({ body }) => body.connection === connection).map(({ body }) => body.currentUser));
}
