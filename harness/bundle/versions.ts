import { readFileSync } from 'node:fs';
import { arch, platform, release } from 'node:os';
import type { Versions } from '../../evidence/bundle-parts.ts';
import type { Observation, ObservationKind, ObservationOf } from '../../evidence/observation.ts';

interface PackageFile {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** What took part, by version: this program, its runtime and dependencies, and what was observed of the platform. */
export function versionsOf(observations: readonly Observation[]): Versions {
  const { version, dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as PackageFile;
  const of = <K extends ObservationKind>(kind: K): readonly ObservationOf<K>[] => observations.filter((each) => each.kind === kind) as unknown as readonly ObservationOf<K>[];
  return {
    schemaVersion: 1,
    harness: { version, sourceRevision: of('run.started')[0]?.body.sourceRevision ?? '', lockFileDigest: of('image.built')[0]?.body.lockFileDigest ?? '' },
    runtime: Object.fromEntries(Object.entries(process.versions).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    machine: { platform: platform(), architecture: arch(), release: release() },
    dependencies,
    kubernetes: {
      gitVersion: of('platform.version')[0]?.body.gitVersion ?? '',
      kubelets: Object.fromEntries(of('platform.node').map(({ body }) => [body.name, body.kubeletVersion])),
    },
    postgresql: { serverVersion: of('platform.database')[0]?.body.serverVersion ?? '' },
  };
}
