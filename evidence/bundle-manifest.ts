import { createHash } from 'node:crypto';
import { BUNDLE_FORMAT, BUNDLE_FORMATS, BUNDLE_LAYOUT, partsOf, type BundleFiles, type BundleFormat } from './bundle-layout.ts';
import { digest, integer, list, literal, object, oneOf, type Shape } from './shape.ts';

export interface BundleManifest {
  readonly schemaVersion: 1;
  readonly format: BundleFormat;
  readonly files: readonly { readonly path: string; readonly sizeBytes: number; readonly sha256: string }[];
}

export const bundleManifest: Shape<BundleManifest> = manifestShape(BUNDLE_FORMAT);

export function manifestShape(format: BundleFormat): Shape<BundleManifest> {
  const paths = partsOf(format).map((part) => BUNDLE_LAYOUT[part].path as string);
  return object({
    schemaVersion: literal(1),
    format: literal(format),
    files: list(object({ path: oneOf(...paths), sizeBytes: integer(), sha256: digest }), { exactly: paths.length }),
  });
}

/** What a manifest says that it is of; what says nothing that is known is held to the format of today. */
export function formatOf(manifest: unknown): BundleFormat {
  const format: unknown = typeof manifest === 'object' && manifest !== null && 'format' in manifest ? manifest.format : null;
  return typeof format === 'string' && Object.hasOwn(BUNDLE_FORMATS, format) ? (format as BundleFormat) : BUNDLE_FORMAT;
}

/** Sizes and sums of the parts, by path; a part that is missing is left out. */
export function manifestOf(files: BundleFiles, format: BundleFormat = BUNDLE_FORMAT): BundleManifest {
  const paths = partsOf(format).map((part) => BUNDLE_LAYOUT[part].path).sort();
  return {
    schemaVersion: 1,
    format,
    files: paths.flatMap((path) => {
      const bytes = files.get(path);
      return bytes === undefined ? [] : [{ path, sizeBytes: bytes.length, sha256: sha256Hex(bytes) }];
    }),
  };
}

export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
