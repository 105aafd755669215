import { BUNDLE_LAYOUT, BUNDLE_PARTS, MANIFEST_PATH, partsOf, type BundleFiles, type BundleFormat } from '../../evidence/bundle-layout.ts';
import { formatOf, manifestOf, manifestShape, type BundleManifest } from '../../evidence/bundle-manifest.ts';
import { canonicalJson } from '../../evidence/canonical-json.ts';
import { faultsOf } from '../../evidence/shape.ts';
import { readCanonical } from './canonical-text.ts';

export interface ManifestAudit {
  readonly format: BundleFormat;
  readonly faults: readonly string[];
}

/** Is every part of the bundle's format there, none beside them, and is each the one that the manifest counts and sums? */
export function auditManifest(files: BundleFiles): ManifestAudit {
  const bytes = files.get(MANIFEST_PATH);
  const read = bytes === undefined ? null : readCanonical(bytes);
  const format = formatOf(read?.ok === true ? read.value : null);
  const parts = partsOf(format);
  const misplaced = BUNDLE_PARTS.flatMap((part) => {
    const { path } = BUNDLE_LAYOUT[part];
    const belongs = parts.includes(part);
    return files.has(path) === belongs ? [] : [belongs ? `${path}: expected it in the bundle` : `${path}: expected no such part in a bundle of ${format}`];
  });
  if (read?.ok !== true) return { format, faults: [...misplaced, `${MANIFEST_PATH}: ${read?.fault ?? 'expected it in the bundle'}`] };
  const faults = faultsOf(manifestShape(format), read.value);
  if (faults.length > 0) return { format, faults: [...misplaced, ...faults.slice(0, 10).map(({ path, expected, got }) => `${MANIFEST_PATH}: ${path}: expected ${expected}, got ${got}`)] };
  return { format, faults: [...misplaced, ...sumFaults(read.value as BundleManifest, manifestOf(files, format))] };
}

function sumFaults(said: BundleManifest, found: BundleManifest): string[] {
  if (canonicalJson(said) === canonicalJson(found)) return [];
  const faults = found.files.flatMap(({ path, sizeBytes, sha256 }) => {
    const entry = said.files.find((each) => each.path === path);
    if (entry === undefined) return [`${path}: expected its size and sum in the manifest`];
    if (entry.sizeBytes !== sizeBytes) return [`${path}: expected ${entry.sizeBytes} bytes as the manifest says, got ${sizeBytes}`];
    return entry.sha256 === sha256 ? [] : [`${path}: expected the SHA-256 ${entry.sha256} of the manifest, got ${sha256}`];
  });
  return faults.length > 0 ? faults : [`${MANIFEST_PATH}: expected every file once, in the order of their paths`];
}
