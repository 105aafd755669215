import { rule, type Rule } from '../verdict.ts';
import { numberAt } from './fields.ts';
import { fact, type ObservedRun } from './observed-run.ts';

const TLS = ['TLSv1.2', 'TLSv1.3'];

/** Whether all who spoke with PostgreSQL spoke with the same one, over TLS: the harness, a Pod, and Cluster Control, which prints what it found. */
export const databasePlatformRules = fact((run: ObservedRun): Rule[] => {
  const database = run.last('platform.database');
  const reached = run.of('platform.database-reached');
  return [
    rule('PostgreSQL was reached over TLS', database?.body.tls === true && reached.every(({ body }) => TLS.includes(body.protocol)), [database, ...reached]),
    rule('host and Pod reached PostgreSQL, and saw one certificate', wasReachedByAll(run) && new Set(reached.map(({ body }) => body.certificateFingerprint)).size <= 1, reached),
    rule('its version is told in one way', isOneVersion(database?.body.serverVersion, database?.body.serverVersionNum), [database]),
    rule('its contract is its last migration’s, and Cluster Control found the same one there', contractVersion(run) !== null, [database, ...listening(run)]),
  ];
});

/** From log version 2 on, both look before anything relies on it; where the cluster is no container of its own, there is nothing between them and PostgreSQL. */
function wasReachedByAll(run: ObservedRun): boolean {
  const started = run.last('run.started')?.body;
  if (started?.substrate !== 'k3s' || (started.logVersion ?? 1) < 2) return true;
  const by = new Set(run.of('platform.database-reached').map(({ body }) => body.from));
  return by.has('host') && by.has('pod');
}

/** `server_version` begins with `<major>.<minor>`, of which `server_version_num` is made. */
function isOneVersion(text: string | undefined, number: number | undefined): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(text ?? '') ?? [];
  return number !== undefined && Number(major) * 10_000 + Number(minor) === number;
}

const listening = fact((run: ObservedRun) => run.of('ingress.line').filter(({ body }) => body.line['event'] === 'listening'));

/** The version of the schema: as many migrations, numbered from 1, and what Cluster Control found when it began to listen; null where they do not agree. */
export const contractVersion = fact((run: ObservedRun): number | null => {
  const database = run.last('platform.database')?.body;
  if (database === undefined) return null;
  const { contractVersion: version, migrationIds, serverVersionNum } = database;
  const numbered = migrationIds.length === version && migrationIds.every((id, index) => id.startsWith(`${String(index + 1).padStart(4, '0')}-`));
  const found = listening(run).every(({ body: { line } }) => numberAt(line, 'contractVersion') === version && numberAt(line, 'serverMajor') === Math.floor(serverVersionNum / 10_000));
  return numbered && found ? version : null;
});
