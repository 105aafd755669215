import { GATE_NAMES } from './gate-names.ts';
import { REHEARSAL_FIXTURE, RELEASE_FIXTURE } from './pins.ts';
import {
  approvalExecution,
  callerDrivenExecutorJob,
  credentialRollout,
  gateFlags,
  identityRollout,
  productionWorker,
  rbac,
  recovery,
  rehearsalKubernetes,
  rehearsalPostgresql,
  releaseKubernetes,
  releasePostgresql,
} from './report-sections.ts';
import { list, literal, object, oneOf, text, type TypeOf } from './shape.ts';

const heading = {
  schemaVersion: literal(1),
  observedAt: text(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, 'an ISO 8601 instant with milliseconds'),
  sourceRevision: text(/^[0-9a-f]{40}$/, '40 hex characters'),
};

const sections = {
  approvalExecution,
  credentialRollout,
  callerDrivenExecutorJob,
  rbac,
  recovery,
  identityRollout,
  productionWorker,
  gates: gateFlags(GATE_NAMES),
  limitations: list(text(), { atMost: 32 }),
};

/** The report of a run on the pinned platform: release evidence. */
export const releaseReport = object({
  ...heading,
  fixture: literal(RELEASE_FIXTURE),
  kubernetes: releaseKubernetes,
  postgresql: releasePostgresql,
  ...sections,
});
export type ReleaseReport = TypeOf<typeof releaseReport>;

/** The report of a run on anything else. It says which gates its platform cannot prove, and has `false` for them. */
export const rehearsalReport = object({
  ...heading,
  fixture: literal(REHEARSAL_FIXTURE),
  kubernetes: rehearsalKubernetes,
  postgresql: rehearsalPostgresql,
  ...sections,
  unproven: list(oneOf(...GATE_NAMES), { atMost: GATE_NAMES.length }),
});
export type RehearsalReport = TypeOf<typeof rehearsalReport>;

export type Report = ReleaseReport | RehearsalReport;
export const SECTION_NAMES = [
  'kubernetes',
  'postgresql',
  'approvalExecution',
  'credentialRollout',
  'callerDrivenExecutorJob',
  'rbac',
  'recovery',
  'identityRollout',
  'productionWorker',
] as const;
export type SectionName = (typeof SECTION_NAMES)[number];
export type Section<N extends SectionName> = RehearsalReport[N];

/** A section as far as the observations carry it: what nothing was observed of is null. */
export type Draft<T> = T extends string | number | boolean | null
  ? T | null
  : T extends readonly (infer Item)[]
    ? readonly Draft<Item>[]
    : { readonly [K in keyof T]: Draft<T[K]> };
export type DraftSection<N extends SectionName> = Draft<Section<N>>;
export type DraftReport = Draft<RehearsalReport> | Draft<ReleaseReport>;
