import type { BundleFiles } from '../../evidence/bundle-layout.ts';

/** The files that could be read of a bundle, and what is wrong with how they are kept. */
export interface BundleInput {
  readonly files: BundleFiles;
  readonly faults: readonly string[];
}
