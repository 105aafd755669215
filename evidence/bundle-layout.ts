/** What a bundle holds, by path: one constant for who writes it, who audits it and who reads about it. */
export const BUNDLE_LAYOUT = {
  auditEvents: { path: 'api/audit.jsonl' },
  finalObjects: { path: 'api/objects.jsonl' },
  imageInputs: { path: 'images/inputs.json' },
  containerLogs: { path: 'logs/containers.jsonl' },
  platformLogs: { path: 'logs/platform.jsonl' },
  runLog: { path: 'logs/run.jsonl' },
  manifests: { path: 'manifests/rendered.jsonl' },
  observations: { path: 'observations.jsonl' },
  report: { path: 'report.json' },
  versions: { path: 'versions.json' },
} as const;
export type BundlePart = keyof typeof BUNDLE_LAYOUT;
export const BUNDLE_PARTS: readonly BundlePart[] = Object.keys(BUNDLE_LAYOUT) as BundlePart[];

/** Size and SHA-256 of every part. */
export const MANIFEST_PATH = 'manifest.json';
/** A DSSE envelope over report and manifest; in a bundle only when the run was given a key. */
export const ATTESTATION_PATH = 'attestation.dsse.json';

export const BUNDLE_FORMAT = 'qinglong/rollout-evidence-bundle@v2';
/** What is still audited, with the parts that bundles of that format had not yet. */
export const BUNDLE_FORMATS = {
  'qinglong/rollout-evidence-bundle@v1': ['platformLogs'],
  [BUNDLE_FORMAT]: [],
} as const satisfies Readonly<Record<string, readonly BundlePart[]>>;
export type BundleFormat = keyof typeof BUNDLE_FORMATS;

/** Until when runs were kept in an earlier format. A later one in it has been made to say less than it knew. */
export const FORMAT_USED_UNTIL: Readonly<Partial<Record<BundleFormat, string>>> = { 'qinglong/rollout-evidence-bundle@v1': '2026-11-30T00:00:00.000Z' };

export function partsOf(format: BundleFormat): readonly BundlePart[] {
  const later: readonly BundlePart[] = BUNDLE_FORMATS[format];
  return BUNDLE_PARTS.filter((part) => !later.includes(part));
}
/** Of a whole archive, and of all files together. */
export const MOST_BUNDLE_BYTES = 20 * 1_048_576;

/** Every path that a bundle may hold, in the order in which an archive holds them: by code unit. */
export const BUNDLE_PATHS: readonly string[] = [...BUNDLE_PARTS.map((part) => BUNDLE_LAYOUT[part].path), MANIFEST_PATH, ATTESTATION_PATH].sort();

/** A bundle's files by path. */
export type BundleFiles = ReadonlyMap<string, Uint8Array>;
